#include "algorithms/collectives/scatterv/scatterv.hpp"

#include "runtime/engine/large_vectors.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

// One rank's block; in place, nothing is said of the root's but in the counts.
template <>
struct MovedBy<coll::Scatterv> {
  template <typename All>
  static Moved among(const All& all) {
    const auto& [in, counts, offsets, in_type, out, out_count, out_type, root, comm] = all;
    if (out == MPI_IN_PLACE) return {};
    return {.count = out_count, .type = out_type};
  }
};

template <>
inline constexpr bool kOneRule<coll::Scatterv> = true;

namespace {

// No rank but the root knows the others' sizes, so all are weighed as none: one rule holds for all.
Weight weigh(const Adopted& adopted, const void* in, const int* counts, const int* offsets,
             MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type, int root,
             MPI_Comm) {
  if (root < 0 || root >= adopted.size()) return weigh_as_none("root");
  const bool here = adopted.rank() == root;
  if (out == MPI_IN_PLACE && !here) return weigh_as_none("in place");
  if (out != MPI_IN_PLACE) {
    const Weight received = weigh_part(adopted, out, out_count, out_type);
    if (received.doubt != nullptr) return weigh_as_none(received.doubt);
  }
  // Without counts, the algorithm leaves it to the library on all ranks.
  if (!here || counts == nullptr || offsets == nullptr) return weigh_as_none();
  return weigh_as_none(weigh_parts(adopted, in, counts, offsets, in_type).doubt);
}

const Replacement<coll::Scatterv, weigh> replacement{"scatterv", "MPI_Scatterv"};
#if MPI_VERSION >= 4
int means(int size, const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, MPI_Count,
          MPI_Datatype, int root, MPI_Comm comm) {
  return is_root(root, comm) ? size : 0;
}
const LargeVectors<Replacement<coll::Scatterv, weigh>, decltype(MPI_Scatterv_c), means> large{
    "MPI_Scatterv_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
