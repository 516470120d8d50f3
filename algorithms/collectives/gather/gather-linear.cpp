// Each rank sends its block to the root: P-1 messages of one block, all through one rank.
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/gather/gather.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {

int gather_linear(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                  MPI_Datatype out_type, int root, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe_rooted(root, out_count, out_type, in_count, in_type, comm));
  const auto& [rank, size, block] = shape;
  if (block.data == 0) return MPI_SUCCESS;
  if (rank != root) {
    return PMPI_Send(in, in_count, in_type, root, kAlgorithmTag, comm);
  }
  if (in != MPI_IN_PLACE) {
    RETURN_IF_FAILED(
        copy_data(in, in_count, in_type, block.block(out, rank), out_count, out_type, comm));
  }
  for (int sender = 0; sender < size; ++sender) {
    if (sender == root) continue;
    RETURN_IF_FAILED(PMPI_Recv(block.block(out, sender), out_count, out_type, sender, kAlgorithmTag,
                               comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

namespace {

const GatherAlgorithm linear{
    "linear", "each rank sends its block to the root",
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra: Performance Analysis of MPI "
    "Collective Operations, Cluster Computing 10(2), 2007",
    gather_linear};

}  // namespace
}  // namespace leadline::coll
