#include "algorithms/collectives/scatterv/scatterv.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_vectors.hpp"

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

// No rank but the root knows the others' sizes, so all say 0 bytes: one rule holds for all.
CallInfo inspect(const CommunicatorState& state, const void* in, const int* counts,
                 const int* offsets, MPI_Datatype in_type, void* out, int out_count,
                 MPI_Datatype out_type, int root, MPI_Comm) {
  if (root < 0 || root >= state.size()) return info_without_size("root");
  const bool here = state.rank() == root;
  if (out == MPI_IN_PLACE && !here) return info_without_size("in place");
  if (out != MPI_IN_PLACE) {
    const CallInfo received = inspect_part(state, out, out_count, out_type);
    if (received.declined()) return info_without_size(received.decline_reason);
  }
  // Without counts, the algorithm leaves it to the library on all ranks.
  if (!here || counts == nullptr || offsets == nullptr) return info_without_size();
  return info_without_size(inspect_parts(state, in, counts, offsets, in_type).decline_reason);
}

const Replacement<coll::Scatterv, inspect> replacement{"scatterv", "MPI_Scatterv"};
#if MPI_VERSION >= 4
int means(int size, const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, MPI_Count,
          MPI_Datatype, int root, MPI_Comm comm) {
  return is_root(root, comm) ? size : 0;
}
const LargeVectors<Replacement<coll::Scatterv, inspect>, decltype(MPI_Scatterv_c), means> large{
    "MPI_Scatterv_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
