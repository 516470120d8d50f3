// Each rank hands its operand to the next one. From then on they do as in a scan, but for the first
// rank: in step k each hands what it has added up to the rank 2^k places on. 1 + ceil(log2(P-1))
// steps, for any number of ranks. What arrives always comes before, so any operation keeps its
// order.
#include "algorithms/collectives/exscan/exscan.hpp"
#include "algorithms/collectives/prefixes.hpp"
#include "algorithms/collectives/reduction.hpp"

namespace leadline::coll {

int exscan_recursive_doubling(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm) {
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  const auto& [rank, size, elements, commutative, operand] = setup;
  if (elements.data == 0 || size == 1) return MPI_SUCCESS;
  if (rank == 0) return PMPI_Send(operand, count, type, 1, kAlgorithmTag, comm);
  Scratch arriving;
  RETURN_IF_FAILED(arriving.allocate(elements));
  const void* handed_on = operand;
  if (operand == out) {
    RETURN_IF_FAILED(copy_elements(elements, operand, arriving.address(), comm));
    handed_on = arriving.address();
  }
  const int next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  RETURN_IF_FAILED(PMPI_Sendrecv(handed_on, count, type, next, kAlgorithmTag, out, count, type,
                                 rank - 1, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  return add_up_prefix(1, rank, size, out, arriving.address(), elements, op, comm);
}

namespace {

const ExscanAlgorithm recursive_doubling{
    "recursive_doubling", "1 + ceil(log2(P-1)) steps, each to a rank twice as far on",
    "Hillis, Steele: Data Parallel Algorithms, Communications of the ACM 29(12), 1986",
    exscan_recursive_doubling};

}  // namespace
}  // namespace leadline::coll
