// Recursive doubling: in step k, each rank exchanges all its data with the rank whose number
// differs in bit k. log2(P) messages a rank.
//
// Where P is no power of two, ranks that stand for a pair take the other's data before, and send it
// the result after.
#include <utility>

#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/hypercube.hpp"

namespace leadline::coll {

int allreduce_hypercube(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  bool commutative = false;
  Elements elements;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  RETURN_IF_FAILED(find_commutative(op, commutative));
  RETURN_IF_FAILED(describe_elements(count, type, elements));
  if (elements.data == 0) return MPI_SUCCESS;
  const void* operand = in == MPI_IN_PLACE ? out : in;
  if (size == 1) return copy_part(elements, {0, count}, operand, out, comm);
  const Hypercube cube(rank, size);
  if (cube.waits()) {
    RETURN_IF_FAILED(PMPI_Send(operand, count, type, cube.other_of_pair(), kAlgorithmTag, comm));
    return PMPI_Recv(out, count, type, cube.other_of_pair(), kAlgorithmTag, comm,
                     MPI_STATUS_IGNORE);
  }

  Scratch scratch;
  RETURN_IF_FAILED(scratch.allocate(elements));
  // The last result falls into `out`, where the operand does not forbid it.
  void* rooms[] = {scratch.address(), out};
  const int operands = cube.dimensions() + (cube.paired() ? 1 : 0);
  if (in != MPI_IN_PLACE && operands % 2 == 1) std::swap(rooms[0], rooms[1]);
  Reduction reduction(elements, op, commutative, operand, rooms[0], rooms[1], comm);
  RETURN_IF_FAILED(fold_pair(cube, elements, reduction, comm));
  for (int bit = 1; bit < cube.corners(); bit *= 2) {
    const int neighbour = cube.neighbour(bit);
    RETURN_IF_FAILED(PMPI_Sendrecv(reduction.value(), count, type, neighbour, kAlgorithmTag,
                                   reduction.room(), count, type, neighbour, kAlgorithmTag, comm,
                                   MPI_STATUS_IGNORE));
    RETURN_IF_FAILED(reduction.combine(cube.order_of(neighbour)));
  }
  RETURN_IF_FAILED(copy_part(elements, {0, count}, reduction.value(), out, comm));
  if (!cube.paired()) return MPI_SUCCESS;
  return PMPI_Send(out, count, type, cube.other_of_pair(), kAlgorithmTag, comm);
}

namespace {

const AllreduceAlgorithm hypercube{
    "hypercube", "recursive doubling on MPI_Sendrecv, log2(P) exchanges of all data",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    allreduce_hypercube};

}  // namespace
}  // namespace leadline::coll
