// Each rank sends a block along each edge that goes from it, and receives one along each that
// comes: a message for each edge.
#include "algorithms/neighbourhood/edge_blocks.hpp"
#include "algorithms/neighbourhood/neighbor_alltoall/neighbor_alltoall.hpp"

namespace leadline::coll {
namespace {

int neighbor_alltoall_linear(const void* in, int in_count, MPI_Datatype in_type, void* out,
                             int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return send_along_edges(EdgeBlocks::sent_in_a_row(in, in_count, in_type),
                          EdgeBlocks::received_in_a_row(out, out_count, out_type), comm);
}

const NeighborAlltoallAlgorithm linear{
    "linear", "a message for each edge, all under way at a time",
    "Hoefler, Träff: Sparse Collective Operations for MPI, HIPS 2009", neighbor_alltoall_linear};

}  // namespace
}  // namespace leadline::coll
