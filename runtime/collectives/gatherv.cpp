#include "algorithms/collectives/gatherv/gatherv.hpp"

#include "runtime/engine/large_vectors.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

// One rank's block; in place, nothing is said of the root's but in the counts.
template <>
struct MovedBy<coll::Gatherv> {
  template <typename All>
  static Moved among(const All& all) {
    const auto& [in, in_count, in_type, out, counts, offsets, out_type, root, comm] = all;
    if (in == MPI_IN_PLACE) return {};
    return {.count = in_count, .type = in_type};
  }
};

template <>
inline constexpr bool kOneRule<coll::Gatherv> = true;

namespace {

// No rank but the root knows the others' sizes, so all are weighed as none: one rule holds for all.
Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type, void* out,
             const int* counts, const int* offsets, MPI_Datatype out_type, int root, MPI_Comm) {
  if (root < 0 || root >= adopted.size()) return weigh_as_none("root");
  const bool here = adopted.rank() == root;
  if (in == MPI_IN_PLACE && !here) return weigh_as_none("in place");
  if (in != MPI_IN_PLACE) {
    const Weight sent = weigh_part(adopted, in, in_count, in_type);
    if (sent.doubt != nullptr) return weigh_as_none(sent.doubt);
  }
  // Without counts, the algorithm leaves it to the library on all ranks.
  if (!here || counts == nullptr || offsets == nullptr) return weigh_as_none();
  return weigh_as_none(weigh_parts(adopted, out, counts, offsets, out_type).doubt);
}

const Replacement<coll::Gatherv, weigh> replacement{"gatherv", "MPI_Gatherv"};
#if MPI_VERSION >= 4
int means(int size, const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*,
          MPI_Datatype, int root, MPI_Comm comm) {
  return is_root(root, comm) ? size : 0;
}
const LargeVectors<Replacement<coll::Gatherv, weigh>, decltype(MPI_Gatherv_c), means> large{
    "MPI_Gatherv_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
