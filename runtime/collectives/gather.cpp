#include "algorithms/collectives/gather/gather.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

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

Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type, void* out,
             int out_count, MPI_Datatype out_type, int root, MPI_Comm) {
  if (root < 0 || root >= adopted.size()) return {.doubt = "root"};
  if (adopted.rank() != root) {
    if (in == MPI_IN_PLACE) return {.doubt = "in place"};
    return weigh_data(adopted, in, in_count, in_type);
  }
  const Weight weight = weigh_blocks(adopted, in, in_count, in_type, out, out_count, out_type);
  if (weight.doubt != nullptr || in == MPI_IN_PLACE) return weight;
  // Only the root sees it, so it must be wrong for sure: elements of other types may lie between.
  if (in_type == out_type && in == own_block(adopted, out, out_count, out_type))
    return {.doubt = "same buffer twice"};
  return weight;
}

const Replacement<coll::Gather, weigh> replacement{"gather", "MPI_Gather"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Gather, weigh>, decltype(MPI_Gather_c)> large{"MPI_Gather_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
