#include "algorithms/collectives/alltoall/alltoall.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {
namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, int in_count, MPI_Datatype in_type,
                 void* out, int out_count, MPI_Datatype out_type, MPI_Comm) {
  const CallInfo info = inspect_blocks(state, in, in_count, in_type, out, out_count, out_type);
  if (info.declined() || in == MPI_IN_PLACE) return info;
  // Elements of other types may lie between, on this rank alone.
  if (in == out && in_type == out_type) return decline("same buffer twice");
  return info;
}

LEADLINE_REPLACES(Alltoall, "alltoall", Alltoall)

}  // namespace
}  // namespace leadline::runtime
