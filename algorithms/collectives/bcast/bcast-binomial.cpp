// In each step every rank that has the data sends them to one that has not: ceil(log2(P)) steps,
// P-1 messages of all data. Largest subtrees first.
#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/shape.hpp"
#include "algorithms/collectives/tree.hpp"

namespace leadline::coll {

int bcast_binomial(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(count, type, comm));
  const auto& [rank, size, elements] = shape;
  if (elements.data == 0) return MPI_SUCCESS;
  const BinomialTree tree(rank, size, root);
  if (!tree.is_root()) {
    RETURN_IF_FAILED(
        PMPI_Recv(data, count, type, tree.parent(), kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  for (long step = tree.largest_step(); step > 0; step /= 2) {
    RETURN_IF_FAILED(PMPI_Send(data, count, type, tree.child(step), kAlgorithmTag, comm));
  }
  return MPI_SUCCESS;
}

namespace {

const BcastAlgorithm binomial{
    "binomial", "all data down a binomial tree, ceil(log2(P)) steps",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    bcast_binomial};

}  // namespace
}  // namespace leadline::coll
