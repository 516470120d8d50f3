#include "algorithms/collectives/gatherv/gatherv.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_vectors.hpp"

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

// No rank but the root knows the others' sizes, so all say 0 bytes: one rule holds for all.
CallInfo inspect(const CommunicatorState& state, const void* in, int in_count, MPI_Datatype in_type,
                 void* out, const int* counts, const int* offsets, MPI_Datatype out_type, int root,
                 MPI_Comm) {
  if (root < 0 || root >= state.size()) return info_without_size("root");
  const bool here = state.rank() == root;
  if (in == MPI_IN_PLACE && !here) return info_without_size("in place");
  if (in != MPI_IN_PLACE) {
    const CallInfo sent = inspect_part(state, in, in_count, in_type);
    if (sent.declined()) return info_without_size(sent.decline_reason);
  }
  // Without counts, the algorithm leaves it to the library on all ranks.
  if (!here || counts == nullptr || offsets == nullptr) return info_without_size();
  return info_without_size(inspect_parts(state, out, counts, offsets, out_type).decline_reason);
}

const Replacement<coll::Gatherv, inspect> replacement{"gatherv", "MPI_Gatherv"};
#if MPI_VERSION >= 4
int means(int size, const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*,
          MPI_Datatype, int root, MPI_Comm comm) {
  return is_root(root, comm) ? size : 0;
}
const LargeVectors<Replacement<coll::Gatherv, inspect>, decltype(MPI_Gatherv_c), means> large{
    "MPI_Gatherv_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
