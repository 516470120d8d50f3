#include "algorithms/neighbourhood/neighbor_allgather/neighbor_allgather.hpp"

#include "runtime/engine/edges.hpp"

namespace leadline::runtime {
namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, int in_count, MPI_Datatype in_type,
                 void* out, int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return inspect_edges(state, coll::EdgeBlocks::same(in, in_count, in_type),
                       coll::EdgeBlocks::received_in_a_row(out, out_count, out_type), comm);
}

using Small = Replacement<coll::NeighborAllgather, inspect>;
const Small replacement{"neighbor_allgather", "MPI_Neighbor_allgather"};
#if MPI_VERSION >= 4
const LargeEdges<Small> large{"MPI_Neighbor_allgather_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
