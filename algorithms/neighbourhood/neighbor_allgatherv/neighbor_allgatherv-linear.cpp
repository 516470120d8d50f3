// Each rank sends its block to each rank that an edge leads to, and receives along each edge
// that comes what its source has: a message for each edge.
#include "algorithms/neighbourhood/edge_blocks.hpp"
#include "algorithms/neighbourhood/neighbor_allgatherv/neighbor_allgatherv.hpp"

namespace leadline::coll {
namespace {

int neighbor_allgatherv_linear(const void* in, int in_count, MPI_Datatype in_type, void* out,
                               const int* counts, const int* offsets, MPI_Datatype out_type,
                               MPI_Comm comm) {
  return send_along_edges(EdgeBlocks::same(in, in_count, in_type),
                          EdgeBlocks::received_at(out, counts, offsets, out_type), comm);
}

const NeighborAllgathervAlgorithm linear{
    "linear", "a message for each edge, all under way at a time",
    "Hoefler, Träff: Sparse Collective Operations for MPI, HIPS 2009", neighbor_allgatherv_linear};

}  // namespace
}  // namespace leadline::coll
