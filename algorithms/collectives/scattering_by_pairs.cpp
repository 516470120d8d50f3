// In step k each rank sends its operand of another rank's block to its owner, k places ahead, and
// receives one of its own block from k places behind: P-1 messages of one block.
//
// Operands of the ranks below arrive from the next to the first, then those above from the last to
// the next: two results, each of which grows to the left, keep the order of any operation.
#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/reduction.hpp"
#include "algorithms/collectives/scattering.hpp"

namespace leadline::coll {

int scatter_by_pairs(const ScatteringCall& call) {
  const auto& [in, out, counts, type, op, comm] = call;
  ReductionSetup setup;
  int me = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &me));
  const int count = counts.of(me);
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  const auto& [rank, size, block, commutative, operands] = setup;
  int element_bytes = 0;
  RETURN_IF_FAILED(PMPI_Type_size(type, &element_bytes));
  if (counts.first(size) == 0 || element_bytes == 0) return MPI_SUCCESS;
  const void* const own = block.at(operands, counts.first(rank));
  if (size == 1) return copy_elements(block, own, out, comm);

  Scratch low;
  Scratch high;
  Scratch arriving;
  RETURN_IF_FAILED(low.allocate(block));
  RETURN_IF_FAILED(arriving.allocate(block));
  RETURN_IF_FAILED(copy_elements(block, own, low.address(), comm));
  const bool two_results = !commutative && rank < size - 1;
  if (two_results) RETURN_IF_FAILED(high.allocate(block));

  for (int step = 1; step < size; ++step) {
    const int receiver = (rank + step) % size;
    const int sender = (rank + size - step) % size;
    const bool begins_high = two_results && sender == size - 1;
    void* room = begins_high ? high.address() : arriving.address();
    RETURN_IF_FAILED(PMPI_Sendrecv(block.at(operands, counts.first(receiver)), counts.of(receiver),
                                   type, receiver, kAlgorithmTag, room, count, type, sender,
                                   kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    if (begins_high) continue;
    void* result = two_results && sender > rank ? high.address() : low.address();
    RETURN_IF_FAILED(PMPI_Reduce_local(room, result, count, type, op));
  }
  if (!two_results) return copy_elements(block, low.address(), out, comm);
  RETURN_IF_FAILED(PMPI_Reduce_local(low.address(), high.address(), count, type, op));
  return copy_elements(block, high.address(), out, comm);
}

}  // namespace leadline::coll
