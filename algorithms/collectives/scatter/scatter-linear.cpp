// The root sends each rank its block: P-1 messages of one block, all through one rank.
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/scatter/scatter.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {

int scatter_linear(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                   MPI_Datatype out_type, int root, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe_rooted(root, in_count, in_type, out_count, out_type, comm));
  const auto& [rank, size, block] = shape;
  if (block.data == 0) return MPI_SUCCESS;
  if (rank != root) {
    return PMPI_Recv(out, out_count, out_type, root, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
  }
  for (int receiver = 0; receiver < size; ++receiver) {
    if (receiver == root) continue;
    RETURN_IF_FAILED(
        PMPI_Send(block.block(in, receiver), in_count, in_type, receiver, kAlgorithmTag, comm));
  }
  if (out == MPI_IN_PLACE) return MPI_SUCCESS;
  return copy_data(block.block(in, rank), in_count, in_type, out, out_count, out_type, comm);
}

namespace {

const ScatterAlgorithm linear{
    "linear", "the root sends each rank its block",
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra: Performance Analysis of MPI "
    "Collective Operations, Cluster Computing 10(2), 2007",
    scatter_linear};

}  // namespace
}  // namespace leadline::coll
