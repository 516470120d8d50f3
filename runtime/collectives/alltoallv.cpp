#include "algorithms/collectives/alltoallv/alltoallv.hpp"

#include <cstdint>

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_vectors.hpp"

namespace leadline::runtime {

// The mean of the blocks that this rank sends, in place of those that it receives. Counts are of
// the other group's ranks on an intercommunicator.
template <>
struct MovedBy<coll::Alltoallv> {
  template <typename All>
  static Moved among(const All& all) {
    const auto& [in, in_counts, in_offsets, in_type, out, out_counts, out_offsets, out_type, comm] =
        all;
    const bool in_place = in == MPI_IN_PLACE;
    const int* const counts = in_place ? out_counts : in_counts;
    int between_groups = 0;
    int size = 0;
    if (counts == nullptr || comm == MPI_COMM_NULL ||
        PMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS) {
      return {};
    }
    (between_groups != 0 ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size);
    std::int64_t sum = 0;
    for (int rank = 0; rank < size; ++rank) sum += counts[rank];
    return {.count = size > 0 ? static_cast<int>(sum / size) : 0,
            .type = in_place ? out_type : in_type};
  }
};

template <>
inline constexpr bool kOneRule<coll::Alltoallv> = true;

namespace {

// The own block, which no other rank sees, would be copied onto itself.
bool keeps_own_block(const CommunicatorState& state, const void* in, const int* in_counts,
                     const int* in_offsets, MPI_Datatype in_type, const void* out,
                     const int* out_offsets, MPI_Datatype out_type) {
  return in_counts[state.rank()] > 0 && in_type == out_type &&
         own_block(state, in, in_offsets, in_type) == own_block(state, out, out_offsets, out_type);
}

// No rank knows what others exchange, so all say 0 bytes: one rule holds for all. Without
// counts, the algorithm leaves it to the library on all ranks.
CallInfo inspect(const CommunicatorState& state, const void* in, const int* in_counts,
                 const int* in_offsets, MPI_Datatype in_type, void* out, const int* out_counts,
                 const int* out_offsets, MPI_Datatype out_type, MPI_Comm) {
  if (out_counts == nullptr || out_offsets == nullptr) return info_without_size();
  const CallInfo received = inspect_parts(state, out, out_counts, out_offsets, out_type);
  if (received.declined() || in == MPI_IN_PLACE) return info_without_size(received.decline_reason);
  if (in_counts == nullptr || in_offsets == nullptr) return info_without_size();
  const CallInfo sent = inspect_parts(state, in, in_counts, in_offsets, in_type);
  if (sent.declined()) return info_without_size(sent.decline_reason);
  if (keeps_own_block(state, in, in_counts, in_offsets, in_type, out, out_offsets, out_type)) {
    return info_without_size("same buffer twice");
  }
  return info_without_size();
}

const Replacement<coll::Alltoallv, inspect> replacement{"alltoallv", "MPI_Alltoallv"};
#if MPI_VERSION >= 4
// In place, counts and offsets of what is sent mean nothing.
Significant means(int size, const void* in, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*,
                  const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm) {
  constexpr int kOut = 4;
  return {size, in == MPI_IN_PLACE ? kOut : 0};
}
const LargeVectors<Replacement<coll::Alltoallv, inspect>, decltype(MPI_Alltoallv_c), means> large{
    "MPI_Alltoallv_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
