// The data are reduced by recursive halving, which leaves a part of the result to each corner of a
// hypercube, and gathered at the root in the reverse order: 2 log2(P) steps, but only 2 (P-1)/P of
// the data through the root.
//
// Where P is no power of two, ranks that stand for a pair first take all data of the other. With
// fewer elements than ranks some parts are empty, and so are their messages.
#include "algorithms/collectives/hypercube.hpp"
#include "algorithms/collectives/reduce/reduce.hpp"

namespace leadline::coll {
namespace {

// From the last dimension to the first, the half of the corners that agree with the root's in this
// bit receive, and the others are done once they have sent.
template <typename FirstOf>
int gather_parts(const Hypercube& cube, const FirstOf& first_of, int root, const Elements& elements,
                 void* data, MPI_Comm comm) {
  for (int bit = cube.corners() / 2; bit > 0; bit /= 2) {
    const auto [mine, others] = halves(cube, bit, first_of);
    if (((cube.corner() ^ cube.corner_of(root)) & bit) != 0) {
      return PMPI_Send(elements.at(data, mine.first), mine.count, elements.type,
                       cube.neighbour(bit), kAlgorithmTag, comm);
    }
    RETURN_IF_FAILED(PMPI_Recv(elements.at(data, others.first), others.count, elements.type,
                               cube.neighbour(bit), kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

int reduce_rabenseifner(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                        int root, MPI_Comm comm) {
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  const auto& [rank, size, elements, commutative, operand] = setup;
  if (elements.data == 0) return MPI_SUCCESS;
  if (size == 1) return copy_part(elements, {0, count}, operand, out, comm);
  const Hypercube cube(rank, size, root);
  if (cube.waits()) {
    return PMPI_Send(operand, count, type, cube.other_of_pair(), kAlgorithmTag, comm);
  }

  Scratch first;
  Scratch second;
  RETURN_IF_FAILED(first.allocate(elements));
  if (rank != root) RETURN_IF_FAILED(second.allocate(elements));
  void* result = rank == root ? out : second.address();
  Reduction reduction(elements, op, commutative, operand, first.address(), result, comm);
  const auto first_of = [&](int position) {
    return part_of(position, cube.corners(), count).first;
  };
  RETURN_IF_FAILED(fold_pair(cube, elements, reduction, comm));
  RETURN_IF_FAILED(reduce_scatter_by_halving(cube, first_of, type, reduction, comm));
  const Part mine = part_of(cube.position(), cube.corners(), count);
  RETURN_IF_FAILED(copy_part(elements, mine, reduction.value(), result, comm));
  return gather_parts(cube, first_of, root, elements, result, comm);
}

const ReduceAlgorithm rabenseifner{
    "rabenseifner", "reduce-scatter by recursive halving, and gather to the root",
    "Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004, LNCS 3036",
    reduce_rabenseifner};

}  // namespace
}  // namespace leadline::coll
