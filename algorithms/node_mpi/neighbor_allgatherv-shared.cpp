// On one node, blocks go along edges in shared memory, and a rank meets its neighbours only.
// Between nodes, the library's own.
#include "algorithms/neighbourhood/neighbor_allgatherv/neighbor_allgatherv.hpp"
#include "algorithms/node_mpi/shared_edges.hpp"

namespace leadline::node {
namespace {

int neighbor_allgatherv_shared(const void* in, int in_count, MPI_Datatype in_type, void* out,
                               const int* counts, const int* offsets, MPI_Datatype out_type,
                               MPI_Comm comm) {
  return exchange_along_edges(coll::EdgeBlocks::same(in, in_count, in_type),
                              coll::EdgeBlocks::received_at(out, counts, offsets, out_type), comm);
}

const coll::NeighborAllgathervAlgorithm shared{
    "shared", "pieces along edges in shared memory on one node; the library's between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    neighbor_allgatherv_shared};

}  // namespace
}  // namespace leadline::node
