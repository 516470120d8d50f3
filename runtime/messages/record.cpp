// Messages of datatypes with gaps in the report.
#include "runtime/messages/carry.hpp"

namespace leadline::runtime {

void record_message(const char* name, const void* site, MPI_Comm comm, const Half* sent,
                    const Half* received, bool packed, std::uint64_t duration) {
  const Half* const half =
      sent != nullptr && (sent->has_gaps() || received == nullptr) ? sent : received;
  if (!half->has_gaps()) return;
  Call call{.function = name};
  if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &call.processes);
  call.weighed = half->bytes() > 0;
  call.bytes = half->bytes();
  if (packed) {
    call.algorithm = "packed";
  } else {
    call.reason = half->reason();
  }
  record(call, site, duration);
}

}  // namespace leadline::runtime
