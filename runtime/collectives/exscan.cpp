#include "algorithms/collectives/exscan/exscan.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {

template <>
inline constexpr bool kReduces<coll::Exscan> = true;

namespace {

// The first rank gets nothing, whatever it gives for the result.
CallInfo inspect(const CommunicatorState& state, const void* in, void* out, int count,
                 MPI_Datatype type, MPI_Op op, MPI_Comm) {
  if (in == out && state.rank() > 0) return decline("same buffer twice");
  return inspect_operands(state, in == MPI_IN_PLACE ? out : in, count, type, op);
}

LEADLINE_REPLACES(Exscan, "exscan", Exscan)

}  // namespace
}  // namespace leadline::runtime
