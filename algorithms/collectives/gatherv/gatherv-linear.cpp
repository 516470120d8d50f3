// Each rank sends its block to the root: at most P-1 messages, all through one rank. Who has
// nothing sends nothing.
#include "algorithms/collectives/gatherv/gatherv.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

int gatherv_linear(const void* in, int in_count, MPI_Datatype in_type, void* out, const int* counts,
                   const int* offsets, MPI_Datatype out_type, int root, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe_rooted(root, 1, out_type, in_count, in_type, comm));
  const auto& [rank, size, elements] = shape;
  if (elements.data == 0) return MPI_SUCCESS;
  if (rank != root) {
    return PMPI_Send(in, in_count, in_type, root, kAlgorithmTag, comm);
  }
  if (in != MPI_IN_PLACE && counts[rank] > 0) {
    RETURN_IF_FAILED(copy_data(in, in_count, in_type, shape.elements.at(out, offsets[rank]),
                               counts[rank], out_type, comm));
  }
  for (int sender = 0; sender < size; ++sender) {
    if (sender == root || counts[sender] == 0) continue;
    RETURN_IF_FAILED(PMPI_Recv(shape.elements.at(out, offsets[sender]), counts[sender], out_type,
                               sender, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

const GathervAlgorithm linear{
    "linear", "each rank sends its block to the root",
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra: Performance Analysis of MPI "
    "Collective Operations, Cluster Computing 10(2), 2007",
    gatherv_linear};

}  // namespace
}  // namespace leadline::coll
