#include "algorithms/collectives/allreduce/allreduce.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {

template <>
inline constexpr bool kReduces<coll::Allreduce> = true;

namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, void* out, int count,
                 MPI_Datatype type, MPI_Op op, MPI_Comm) {
  if (in == out) return decline("same buffer twice");
  return inspect_operands(state, in == MPI_IN_PLACE ? out : in, count, type, op);
}

LEADLINE_REPLACES(Allreduce, "allreduce", Allreduce)

}  // namespace
}  // namespace leadline::runtime
