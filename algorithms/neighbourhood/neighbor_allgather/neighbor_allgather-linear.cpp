// Each rank sends its block to each rank that an edge leads to, and receives one along each edge
// that comes: a message for each edge.
#include "algorithms/neighbourhood/edge_blocks.hpp"
#include "algorithms/neighbourhood/neighbor_allgather/neighbor_allgather.hpp"

namespace leadline::coll {
namespace {

int neighbor_allgather_linear(const void* in, int in_count, MPI_Datatype in_type, void* out,
                              int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return send_along_edges(EdgeBlocks::same(in, in_count, in_type),
                          EdgeBlocks::received_in_a_row(out, out_count, out_type), comm);
}

const NeighborAllgatherAlgorithm linear{
    "linear", "a message for each edge, all under way at a time",
    "Hoefler, Träff: Sparse Collective Operations for MPI, HIPS 2009", neighbor_allgather_linear};

}  // namespace
}  // namespace leadline::coll
