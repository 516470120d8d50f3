// Each rank takes what the ranks before it add up to from the one before, and hands it to the next
// with its own operand added: P-1 messages, one after the other.
#include "algorithms/collectives/exscan/exscan.hpp"
#include "algorithms/collectives/reduction.hpp"

namespace leadline::coll {
namespace {

int exscan_linear(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  const auto& [rank, size, elements, commutative, operand] = setup;
  if (elements.data == 0 || size == 1) return MPI_SUCCESS;
  if (rank == 0) return PMPI_Send(operand, count, type, 1, kAlgorithmTag, comm);
  if (rank == size - 1) {
    return PMPI_Recv(out, count, type, rank - 1, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
  }
  Scratch sum;
  RETURN_IF_FAILED(sum.allocate(elements));
  RETURN_IF_FAILED(copy_elements(elements, operand, sum.address(), comm));
  RETURN_IF_FAILED(PMPI_Recv(out, count, type, rank - 1, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  RETURN_IF_FAILED(PMPI_Reduce_local(out, sum.address(), count, type, op));
  return PMPI_Send(sum.address(), count, type, rank + 1, kAlgorithmTag, comm);
}

const ExscanAlgorithm linear{
    "linear", "each rank waits for the one before: P-1 messages, one after the other",
    "Sanders, Träff: Parallel Prefix (Scan) Algorithms for MPI, EuroPVM/MPI 2006, LNCS 4192",
    exscan_linear};

}  // namespace
}  // namespace leadline::coll
