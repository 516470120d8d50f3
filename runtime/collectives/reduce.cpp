#include "algorithms/collectives/reduce/reduce.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {

template <>
inline constexpr bool kReduces<coll::Reduce> = true;

namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, void* out, int count,
                 MPI_Datatype type, MPI_Op op, int root, MPI_Comm) {
  if (root < 0 || root >= state.size()) return decline("root");
  const bool is_root = state.rank() == root;
  if (is_root && (in == out || out == nullptr)) return decline("receive buffer");
  if (!is_root && in == MPI_IN_PLACE) return decline("in place");
  return inspect_operands(state, in == MPI_IN_PLACE ? out : in, count, type, op);
}

LEADLINE_REPLACES(Reduce, "reduce", Reduce)

}  // namespace
}  // namespace leadline::runtime
