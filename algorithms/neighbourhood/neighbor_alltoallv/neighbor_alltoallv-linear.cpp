// Each rank sends a block of its own length along each edge that goes from it, and receives one
// along each that comes: a message for each edge.
#include "algorithms/neighbourhood/edge_blocks.hpp"
#include "algorithms/neighbourhood/neighbor_alltoallv/neighbor_alltoallv.hpp"

namespace leadline::coll {
namespace {

int neighbor_alltoallv_linear(const void* in, const int* in_counts, const int* in_offsets,
                              MPI_Datatype in_type, void* out, const int* out_counts,
                              const int* out_offsets, MPI_Datatype out_type, MPI_Comm comm) {
  return send_along_edges(EdgeBlocks::sent_from(in, in_counts, in_offsets, in_type),
                          EdgeBlocks::received_at(out, out_counts, out_offsets, out_type), comm);
}

const NeighborAlltoallvAlgorithm linear{
    "linear", "a message for each edge, all under way at a time",
    "Hoefler, Träff: Sparse Collective Operations for MPI, HIPS 2009", neighbor_alltoallv_linear};

}  // namespace
}  // namespace leadline::coll
