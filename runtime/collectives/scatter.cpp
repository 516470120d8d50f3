#include "algorithms/collectives/scatter/scatter.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {

// What is sent means nothing but at the root, which alone may be in place.
template <>
struct MovedBy<coll::Scatter> {
  template <typename All>
  static Moved among(const All& all) {
    const auto& [in, in_count, in_type, out, out_count, out_type, root, comm] = all;
    if (out == MPI_IN_PLACE) return {.count = in_count, .type = in_type};
    return {.count = out_count, .type = out_type};
  }
};

namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, int in_count, MPI_Datatype in_type,
                 void* out, int out_count, MPI_Datatype out_type, int root, MPI_Comm) {
  if (root < 0 || root >= state.size()) return decline("root");
  if (state.rank() != root) {
    if (out == MPI_IN_PLACE) return decline("in place");
    return inspect_data(state, out, out_count, out_type);
  }
  // The two sides of a gather, the other way round.
  const CallInfo info = inspect_blocks(state, out, out_count, out_type, in, in_count, in_type);
  if (info.declined() || out == MPI_IN_PLACE) return info;
  // Only the root sees it, so it must be wrong for sure: elements of other types may lie between.
  if (in_type == out_type && out == own_block(state, in, in_count, in_type))
    return decline("same buffer twice");
  return info;
}

LEADLINE_REPLACES(Scatter, "scatter", Scatter)

}  // namespace
}  // namespace leadline::runtime
