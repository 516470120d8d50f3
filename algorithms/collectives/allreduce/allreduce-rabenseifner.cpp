// The data are reduced by recursive halving, which leaves a part of the result to each corner of a
// hypercube, and recursive doubling in the reverse order brings all parts to all corners:
// 2 log2(P) steps, but only 2 (P-1)/P of the data in and out of each rank.
//
// Where P is no power of two, ranks that stand for a pair take all data of the other before, and
// send it the result after. With fewer elements than ranks some parts are empty, and so are their
// messages.
#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/allreduce/on_hypercube.hpp"

namespace leadline::coll {
namespace {

int allreduce_rabenseifner(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm) {
  const auto reduce = [&](const ReductionSetup& setup, const Hypercube& cube) -> int {
    const auto& elements = setup.elements;
    Scratch scratch;
    RETURN_IF_FAILED(scratch.allocate(elements));
    Reduction reduction(elements, op, setup.commutative, setup.operand, scratch.address(), out,
                        comm);
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
    return MPI_SUCCESS;
  };
  return allreduce_on_hypercube(in, out, count, type, op, comm, reduce);
}

const AllreduceAlgorithm rabenseifner{
    "rabenseifner",
    "reduce-scatter by recursive halving and allgather by recursive doubling, 2 (P-1)/P of the "
    "data a rank",
    "Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004, LNCS 3036",
    allreduce_rabenseifner};

}  // namespace
}  // namespace leadline::coll
