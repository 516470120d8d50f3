#include "algorithms/collectives/scatter/scatter.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

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

Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type, void* out,
             int out_count, MPI_Datatype out_type, int root, MPI_Comm) {
  if (root < 0 || root >= adopted.size()) return {.doubt = "root"};
  if (adopted.rank() != root) {
    if (out == MPI_IN_PLACE) return {.doubt = "in place"};
    return weigh_data(adopted, out, out_count, out_type);
  }
  // The two sides of a gather, the other way round.
  const Weight weight = weigh_blocks(adopted, out, out_count, out_type, in, in_count, in_type);
  if (weight.doubt != nullptr || out == MPI_IN_PLACE) return weight;
  // Only the root sees it, so it must be wrong for sure: elements of other types may lie between.
  if (in_type == out_type && out == own_block(adopted, in, in_count, in_type))
    return {.doubt = "same buffer twice"};
  return weight;
}

const Replacement<coll::Scatter, weigh> replacement{"scatter", "MPI_Scatter"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Scatter, weigh>, decltype(MPI_Scatter_c)> large{
    "MPI_Scatter_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
