// In step k each rank sends its operand of another rank's block to its owner, k places ahead, and
// receives one of its own block from k places behind: P-1 messages of one block.
//
// Operands of the ranks below arrive from the next to the first, then those above from the last to
// the next: two results, each of which grows to the left, keep the order of any operation.
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"
#include "algorithms/collectives/reduction.hpp"

namespace leadline::coll {

int reduce_scatter_block_pairwise(const void* in, void* out, int count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm) {
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  const auto& [rank, size, block, commutative, operands] = setup;
  if (block.data == 0) return MPI_SUCCESS;
  if (size == 1) return copy_elements(block, operands, out, comm);

  Scratch low;
  Scratch high;
  Scratch arriving;
  RETURN_IF_FAILED(low.allocate(block));
  RETURN_IF_FAILED(arriving.allocate(block));
  RETURN_IF_FAILED(copy_elements(block, block.block(operands, rank), low.address(), comm));
  const bool two_results = !commutative && rank < size - 1;
  if (two_results) RETURN_IF_FAILED(high.allocate(block));

  for (int step = 1; step < size; ++step) {
    const int receiver = (rank + step) % size;
    const int sender = (rank + size - step) % size;
    const bool begins_high = two_results && sender == size - 1;
    void* room = begins_high ? high.address() : arriving.address();
    RETURN_IF_FAILED(PMPI_Sendrecv(block.block(operands, receiver), count, type, receiver,
                                   kAlgorithmTag, room, count, type, sender, kAlgorithmTag, comm,
                                   MPI_STATUS_IGNORE));
    if (begins_high) continue;
    void* result = two_results && sender > rank ? high.address() : low.address();
    RETURN_IF_FAILED(PMPI_Reduce_local(room, result, count, type, op));
  }
  if (!two_results) return copy_elements(block, low.address(), out, comm);
  RETURN_IF_FAILED(PMPI_Reduce_local(low.address(), high.address(), count, type, op));
  return copy_elements(block, high.address(), out, comm);
}

namespace {

const ReduceScatterBlockAlgorithm pairwise{
    "pairwise", "P-1 exchanges of one block between all pairs of ranks",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    reduce_scatter_block_pairwise};

}  // namespace
}  // namespace leadline::coll
