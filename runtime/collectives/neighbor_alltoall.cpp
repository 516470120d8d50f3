#include "algorithms/neighbourhood/neighbor_alltoall/neighbor_alltoall.hpp"

#include "runtime/engine/edges.hpp"

namespace leadline::runtime {
namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, int in_count, MPI_Datatype in_type,
                 void* out, int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return inspect_edges(state, coll::EdgeBlocks::sent_in_a_row(in, in_count, in_type),
                       coll::EdgeBlocks::received_in_a_row(out, out_count, out_type), comm);
}

using Small = Replacement<coll::NeighborAlltoall, inspect>;
const Small replacement{"neighbor_alltoall", "MPI_Neighbor_alltoall"};
#if MPI_VERSION >= 4
const LargeEdges<Small> large{"MPI_Neighbor_alltoall_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
