// The root sends each rank its block: at most P-1 messages, all through one rank. Who gets nothing
// is sent nothing.
#include "algorithms/collectives/scatterv/scatterv.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

int scatterv_linear(const void* in, const int* counts, const int* offsets, MPI_Datatype in_type,
                    void* out, int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe_rooted(root, 1, in_type, out_count, out_type, comm));
  const auto& [rank, size, elements] = shape;
  if (elements.data == 0) return MPI_SUCCESS;
  if (rank != root) {
    return PMPI_Recv(out, out_count, out_type, root, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
  }
  for (int receiver = 0; receiver < size; ++receiver) {
    if (receiver == root || counts[receiver] == 0) continue;
    RETURN_IF_FAILED(PMPI_Send(shape.elements.at(in, offsets[receiver]), counts[receiver], in_type,
                               receiver, kAlgorithmTag, comm));
  }
  if (out == MPI_IN_PLACE || counts[rank] == 0) return MPI_SUCCESS;
  return copy_data(shape.elements.at(in, offsets[rank]), counts[rank], in_type, out, out_count,
                   out_type, comm);
}

const ScattervAlgorithm linear{
    "linear", "the root sends each rank its block",
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra: Performance Analysis of MPI "
    "Collective Operations, Cluster Computing 10(2), 2007",
    scatterv_linear};

}  // namespace
}  // namespace leadline::coll
