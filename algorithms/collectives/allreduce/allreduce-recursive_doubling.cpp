// Recursive doubling: in step k, each rank exchanges all its data with the rank whose number
// differs in bit k. log2(P) messages a rank.
//
// Where P is no power of two, ranks that stand for a pair take the other's data before, and send it
// the result after.
#include <utility>

#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/allreduce/on_hypercube.hpp"

namespace leadline::coll {

int allreduce_recursive_doubling(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                                 MPI_Comm comm) {
  const auto reduce = [&](const ReductionSetup& setup, const Hypercube& cube) -> int {
    const auto& elements = setup.elements;
    Scratch scratch;
    RETURN_IF_FAILED(scratch.allocate(elements));
    // The last result falls into `out`, where the operand does not forbid it.
    void* rooms[] = {scratch.address(), out};
    const int operands = cube.dimensions() + (cube.paired() ? 1 : 0);
    if (in != MPI_IN_PLACE && operands % 2 == 1) std::swap(rooms[0], rooms[1]);
    Reduction reduction(elements, op, setup.commutative, setup.operand, rooms[0], rooms[1], comm);
    RETURN_IF_FAILED(fold_pair(cube, elements, reduction, comm));
    for (int bit = 1; bit < cube.corners(); bit *= 2) {
      const int neighbour = cube.neighbour(bit);
      RETURN_IF_FAILED(PMPI_Sendrecv(reduction.value(), count, type, neighbour, kAlgorithmTag,
                                     reduction.room(), count, type, neighbour, kAlgorithmTag, comm,
                                     MPI_STATUS_IGNORE));
      RETURN_IF_FAILED(reduction.combine(cube.order_of(neighbour)));
    }
    return copy_part(elements, {0, count}, reduction.value(), out, comm);
  };
  return allreduce_on_hypercube(in, out, count, type, op, comm, reduce);
}

namespace {

const AllreduceAlgorithm recursive_doubling{
    "recursive_doubling", "log2(P) exchanges of all data by MPI_Sendrecv, along a hypercube",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    allreduce_recursive_doubling, Aliases{"hypercube"}};

}  // namespace
}  // namespace leadline::coll
