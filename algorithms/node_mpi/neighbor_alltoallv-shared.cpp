// On one node, blocks go along edges in shared memory, and a rank meets its neighbours only.
// Between nodes, the library's own.
#include "algorithms/neighbourhood/neighbor_alltoallv/neighbor_alltoallv.hpp"
#include "algorithms/node_mpi/shared_edges.hpp"

namespace leadline::node {
namespace {

int neighbor_alltoallv_shared(const void* in, const int* in_counts, const int* in_offsets,
                              MPI_Datatype in_type, void* out, const int* out_counts,
                              const int* out_offsets, MPI_Datatype out_type, MPI_Comm comm) {
  return exchange_along_edges(coll::EdgeBlocks::sent_from(in, in_counts, in_offsets, in_type),
                              coll::EdgeBlocks::received_at(out, out_counts, out_offsets, out_type),
                              comm);
}

const coll::NeighborAlltoallvAlgorithm shared{
    "shared", "pieces along edges in shared memory on one node; the library's between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    neighbor_alltoallv_shared};

}  // namespace
}  // namespace leadline::node
