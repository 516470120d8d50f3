// Ranks report to their parents in a binomial tree, and the root's release comes back the same way:
// 2 (P-1) empty messages in all, the fewest there can be, in 2 ceil(log2(P)) steps.
#include "algorithms/collectives/barrier/barrier.hpp"
#include "algorithms/collectives/barrier/signal.hpp"
#include "algorithms/collectives/tree.hpp"

namespace leadline::coll {
namespace {

int barrier_tree(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  const BinomialTree tree(rank, size, 0);
  for (long step = 1; step < tree.span(); step *= 2) {
    RETURN_IF_FAILED(receive_signal(tree.child(step), comm));
  }
  if (!tree.is_root()) {
    RETURN_IF_FAILED(send_signal(tree.parent(), comm));
    RETURN_IF_FAILED(receive_signal(tree.parent(), comm));
  }
  for (long step = tree.largest_step(); step > 0; step /= 2) {
    RETURN_IF_FAILED(send_signal(tree.child(step), comm));
  }
  return MPI_SUCCESS;
}

const BarrierAlgorithm tree{
    "tree", "reports up a binomial tree and releases down it, 2 (P-1) empty messages in all",
    "Mellor-Crummey, Scott: Algorithms for Scalable Synchronization on Shared-Memory "
    "Multiprocessors, ACM TOCS 9(1), 1991",
    barrier_tree};

}  // namespace
}  // namespace leadline::coll
