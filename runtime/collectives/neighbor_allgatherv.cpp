#include "algorithms/neighbourhood/neighbor_allgatherv/neighbor_allgatherv.hpp"

#include "runtime/engine/edges.hpp"

namespace leadline::runtime {

// What a rank sends along each edge.
template <>
struct MovedBy<coll::NeighborAllgatherv> {
  template <typename All>
  static Moved among(const All& all) {
    const auto& [in, in_count, in_type, out, counts, offsets, out_type, comm] = all;
    return {.count = in_count, .type = in_type};
  }
};

namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, int in_count, MPI_Datatype in_type,
                 void* out, const int* counts, const int* offsets, MPI_Datatype out_type,
                 MPI_Comm comm) {
  return inspect_uneven_edges(state, coll::EdgeBlocks::same(in, in_count, in_type),
                              coll::EdgeBlocks::received_at(out, counts, offsets, out_type), comm);
}

using Small = Replacement<coll::NeighborAllgatherv, inspect>;
const Small replacement{"neighbor_allgatherv", "MPI_Neighbor_allgatherv"};

#if MPI_VERSION >= 4
decltype(MPI_Neighbor_allgatherv_c)* library = nullptr;

int call(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
         const MPI_Count* counts, const MPI_Aint* offsets, MPI_Datatype out_type, MPI_Comm comm) {
  const auto pass_on = [&] {
    return library(in, in_count, in_type, out, counts, offsets, out_type, comm);
  };
  const coll::LargeArguments arguments({in_count, nullptr, nullptr}, {0, counts, offsets});
  return Small::carry_out(pass_on, in, as_int(in_count), in_type, out, nullptr, nullptr, out_type,
                          comm);
}

const Interception large{"MPI_Neighbor_allgatherv_c", call, library};
#endif

}  // namespace
}  // namespace leadline::runtime
