// The root sends each rank its block: P-1 messages of one block, all through one rank.
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/scatter/scatter.hpp"

namespace leadline::coll {

int scatter_linear(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                   MPI_Datatype out_type, int root, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  Elements block;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  if (rank != root) {
    RETURN_IF_FAILED(describe_elements(out_count, out_type, block));
    if (block.data == 0) return MPI_SUCCESS;
    return PMPI_Recv(out, out_count, out_type, root, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
  }
  RETURN_IF_FAILED(describe_elements(in_count, in_type, block));
  if (block.data == 0) return MPI_SUCCESS;
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
