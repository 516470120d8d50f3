// On one node, blocks go along edges in shared memory, and a rank meets its neighbours only.
// Between nodes, the library's own.
#include "algorithms/neighbourhood/neighbor_alltoall/neighbor_alltoall.hpp"
#include "algorithms/node_mpi/shared_edges.hpp"

namespace leadline::node {
namespace {

int neighbor_alltoall_shared(const void* in, int in_count, MPI_Datatype in_type, void* out,
                             int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return exchange_along_edges(coll::EdgeBlocks::sent_in_a_row(in, in_count, in_type),
                              coll::EdgeBlocks::received_in_a_row(out, out_count, out_type), comm);
}

const coll::NeighborAlltoallAlgorithm shared{
    "shared", "pieces along edges in shared memory on one node; the library's between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    neighbor_alltoall_shared};

}  // namespace
}  // namespace leadline::node
