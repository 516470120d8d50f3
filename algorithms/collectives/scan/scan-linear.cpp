// Each rank takes what the ranks before it add up to from the one before, adds its own operand and
// hands the result to the next: P-1 messages, one after the other.
#include "algorithms/collectives/reduction.hpp"
#include "algorithms/collectives/scan/scan.hpp"

namespace leadline::coll {
namespace {

int scan_linear(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  const auto& [rank, size, elements, commutative, operand] = setup;
  if (elements.data == 0) return MPI_SUCCESS;
  RETURN_IF_FAILED(copy_part(elements, {0, count}, operand, out, comm));
  if (rank > 0) {
    Scratch arriving;
    RETURN_IF_FAILED(arriving.allocate(elements));
    RETURN_IF_FAILED(PMPI_Recv(arriving.address(), count, type, rank - 1, kAlgorithmTag, comm,
                               MPI_STATUS_IGNORE));
    RETURN_IF_FAILED(PMPI_Reduce_local(arriving.address(), out, count, type, op));
  }
  if (rank == size - 1) return MPI_SUCCESS;
  return PMPI_Send(out, count, type, rank + 1, kAlgorithmTag, comm);
}

const ScanAlgorithm linear{
    "linear", "each rank waits for the one before: P-1 messages, one after the other",
    "Sanders, Träff: Parallel Prefix (Scan) Algorithms for MPI, EuroPVM/MPI 2006, LNCS 4192",
    scan_linear};

}  // namespace
}  // namespace leadline::coll
