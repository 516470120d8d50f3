#include "algorithms/collectives/gather/gather.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {

// What is received means nothing but at the root, which alone may be in place.
template <>
struct MovedBy<coll::Gather> {
  template <typename All>
  static Moved among(const All& all) {
    const auto& [in, in_count, in_type, out, out_count, out_type, root, comm] = all;
    if (in == MPI_IN_PLACE) return {.count = out_count, .type = out_type};
    return {.count = in_count, .type = in_type};
  }
};

namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, int in_count, MPI_Datatype in_type,
                 void* out, int out_count, MPI_Datatype out_type, int root, MPI_Comm) {
  if (root < 0 || root >= state.size()) return decline("root");
  if (state.rank() != root) {
    if (in == MPI_IN_PLACE) return decline("in place");
    return inspect_data(state, in, in_count, in_type);
  }
  const CallInfo info = inspect_blocks(state, in, in_count, in_type, out, out_count, out_type);
  if (info.declined() || in == MPI_IN_PLACE) return info;
  // Only the root sees it, so it must be wrong for sure: elements of other types may lie between.
  if (in_type == out_type && in == own_block(state, out, out_count, out_type))
    return decline("same buffer twice");
  return info;
}

LEADLINE_REPLACES(Gather, "gather", Gather)

}  // namespace
}  // namespace leadline::runtime
