#include "algorithms/neighbourhood/neighbor_alltoallv/neighbor_alltoallv.hpp"

#include "runtime/engine/edges.hpp"

namespace leadline::runtime {

// Blocks are of different lengths.
template <>
struct MovedBy<coll::NeighborAlltoallv> {
  template <typename All>
  static Moved among(const All&) {
    return {};
  }
};

namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, const int* in_counts,
                 const int* in_offsets, MPI_Datatype in_type, void* out, const int* out_counts,
                 const int* out_offsets, MPI_Datatype out_type, MPI_Comm comm) {
  return inspect_uneven_edges(
      state, coll::EdgeBlocks::sent_from(in, in_counts, in_offsets, in_type),
      coll::EdgeBlocks::received_at(out, out_counts, out_offsets, out_type), comm);
}

using Small = Replacement<coll::NeighborAlltoallv, inspect>;
const Small replacement{"neighbor_alltoallv", "MPI_Neighbor_alltoallv"};

#if MPI_VERSION >= 4
decltype(MPI_Neighbor_alltoallv_c)* library = nullptr;

int call(const void* in, const MPI_Count* in_counts, const MPI_Aint* in_offsets,
         MPI_Datatype in_type, void* out, const MPI_Count* out_counts, const MPI_Aint* out_offsets,
         MPI_Datatype out_type, MPI_Comm comm) {
  const auto pass_on = [&] {
    return library(in, in_counts, in_offsets, in_type, out, out_counts, out_offsets, out_type,
                   comm);
  };
  const coll::LargeArguments arguments({0, in_counts, in_offsets}, {0, out_counts, out_offsets});
  return Small::carry_out(pass_on, in, nullptr, nullptr, in_type, out, nullptr, nullptr, out_type,
                          comm);
}

const Interception large{"MPI_Neighbor_alltoallv_c", call, library};
#endif

}  // namespace
}  // namespace leadline::runtime
