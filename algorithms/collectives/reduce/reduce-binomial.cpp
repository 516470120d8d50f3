// Each rank reduces what its children in a binomial tree send with its own, and sends the result to
// its parent: ceil(log2(P)) steps, P-1 messages of all data.
//
// Subtrees are ranges of ranks in order if the tree's root is rank 0, so for operations that are
// not commutative it is, and the result takes one more message to the root of the reduction.
#include <utility>

#include "algorithms/collectives/reduce/reduce.hpp"
#include "algorithms/collectives/reduction.hpp"
#include "algorithms/collectives/tree.hpp"

namespace leadline::coll {

int reduce_binomial(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
                    MPI_Comm comm) {
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  const auto& [rank, size, elements, commutative, operand] = setup;
  if (elements.data == 0) return MPI_SUCCESS;
  const int top = commutative ? root : 0;
  const BinomialTree tree(rank, size, top);

  // The results move between two rooms. At the top `out` is one of them: the last result's, unless
  // it holds the operand and so cannot be the first room.
  const bool reduces_into_out = rank == root && tree.is_root();
  int children = 0;
  for (long step = 1; step < tree.span(); step *= 2) ++children;
  Scratch first;
  Scratch second;
  if (children > 0) RETURN_IF_FAILED(first.allocate(elements));
  if (children > 1 && !reduces_into_out) RETURN_IF_FAILED(second.allocate(elements));
  void* rooms[] = {first.address(), reduces_into_out ? out : second.address()};
  if (reduces_into_out && in != MPI_IN_PLACE && children % 2 == 1) std::swap(rooms[0], rooms[1]);

  Reduction reduction(elements, op, true, operand, rooms[0], rooms[1], comm);
  for (long step = 1; step < tree.span(); step *= 2) {
    RETURN_IF_FAILED(PMPI_Recv(reduction.room(), count, type, tree.child(step), kAlgorithmTag, comm,
                               MPI_STATUS_IGNORE));
    RETURN_IF_FAILED(reduction.combine(Reduction::Received::kFollows));
  }
  if (reduces_into_out) return copy_part(elements, {0, count}, reduction.value(), out, comm);
  const int receiver = tree.is_root() ? root : tree.parent();
  RETURN_IF_FAILED(PMPI_Send(reduction.value(), count, type, receiver, kAlgorithmTag, comm));
  if (rank != root) return MPI_SUCCESS;
  return PMPI_Recv(out, count, type, top, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
}

namespace {

const ReduceAlgorithm binomial{
    "binomial", "all data up a binomial tree, ceil(log2(P)) steps",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    reduce_binomial};

}  // namespace
}  // namespace leadline::coll
