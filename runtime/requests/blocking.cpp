#include "runtime/requests/blocking.hpp"

namespace leadline::runtime {
namespace {

// What carries out blocking collectives in shared memory.
constexpr std::string_view kShared = "shared";

}  // namespace

Blocking::Blocking(std::string_view collective) {
  const auto& known = KnownCollective::all();
  while (known[index_].name != collective) ++index_;
  shared_ = known[index_].find(kShared);
}

bool Blocking::takes_shared(Adopted& adopted, std::size_t bytes) const {
  const AnyFunction* const function = adopted.choice(index_, bytes).function;
  return function != nullptr && function == shared_;
}

Call describe_request(const char* name, const Adopted* adopted, MPI_Comm comm,
                      const Weight& weight) {
  Call call{.function = name};
  if (adopted != nullptr) {
    call.processes = adopted->size();
    call.nodes = adopted->nodes();
    call.weighed = weight.doubt == nullptr || weight.bytes > 0;
    call.bytes = weight.bytes;
  } else if (comm != MPI_COMM_NULL) {
    PMPI_Comm_size(comm, &call.processes);
  }
  call.reason = weight.doubt;
  if (weight.doubt == nullptr) call.algorithm = kShared.data();
  return call;
}

}  // namespace leadline::runtime
