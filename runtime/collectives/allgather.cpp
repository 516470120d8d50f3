#include "algorithms/collectives/allgather/allgather.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {
namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, int in_count, MPI_Datatype in_type,
                 void* out, int out_count, MPI_Datatype out_type, MPI_Comm) {
  const CallInfo info = inspect_blocks(state, in, in_count, in_type, out, out_count, out_type);
  if (info.declined() || in == MPI_IN_PLACE) return info;
  // Both are wrong, and the first rank cannot tell which of them the others do. Elements of other
  // types may lie between, on this rank alone.
  const bool same = in == out || in == own_block(state, out, out_count, out_type);
  if (same && in_type == out_type) return decline("same buffer twice");
  return info;
}

LEADLINE_REPLACES(Allgather, "allgather", Allgather)

}  // namespace
}  // namespace leadline::runtime
