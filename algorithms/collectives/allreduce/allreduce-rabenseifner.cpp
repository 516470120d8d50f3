// The data are reduced by recursive halving, which leaves a part of the result to each corner of a
// hypercube, and recursive doubling in the reverse order brings all parts to all corners:
// 2 log2(P) steps, but only 2 (P-1)/P of the data in and out of each rank.
//
// Where P is no power of two, ranks that stand for a pair take all data of the other before, and
// send it the result after. With fewer elements than ranks some parts are empty, and so are their
// messages.
#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/hypercube.hpp"

namespace leadline::coll {
namespace {

int allreduce_rabenseifner(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
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
  Reduction reduction(elements, op, commutative, operand, scratch.address(), out, comm);
  const auto first_of = [&](int position) {
    return part_of(position, cube.corners(), count).first;
  };
  RETURN_IF_FAILED(fold_pair(cube, elements, reduction, comm));
  RETURN_IF_FAILED(reduce_scatter_by_halving(cube, first_of, type, reduction, comm));
  RETURN_IF_FAILED(copy_part(elements, part_of(cube.position(), cube.corners(), count),
                             reduction.value(), out, comm));
  for (int bit = cube.corners() / 2; bit > 0; bit /= 2) {
    const auto [mine, others] = halves(cube, bit, first_of);
    const int neighbour = cube.neighbour(bit);
    RETURN_IF_FAILED(PMPI_Sendrecv(elements.at(out, mine.first), mine.count, type, neighbour,
                                   kAlgorithmTag, elements.at(out, others.first), others.count,
                                   type, neighbour, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  if (!cube.paired()) return MPI_SUCCESS;
  return PMPI_Send(out, count, type, cube.other_of_pair(), kAlgorithmTag, comm);
}

const AllreduceAlgorithm rabenseifner{
    "rabenseifner",
    "reduce-scatter by recursive halving and allgather by recursive doubling, 2 (P-1)/P of the "
    "data a rank",
    "Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004, LNCS 3036",
    allreduce_rabenseifner};

}  // namespace
}  // namespace leadline::coll
