// What allreduces on a hypercube have in common.
#pragma once

#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/hypercube.hpp"
#include "algorithms/collectives/reduction.hpp"

namespace leadline::coll {

// Where P is no power of two, a rank that waits sends its operand to the other of its pair and gets
// the result from it. All others call `reduce(setup, cube)`, which leaves the result in `out`.
template <typename Reduce>
int allreduce_on_hypercube(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, const Reduce& reduce) {
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  if (setup.elements.data == 0) return MPI_SUCCESS;
  if (setup.size == 1) return copy_part(setup.elements, {0, count}, setup.operand, out, comm);
  const Hypercube cube(setup.rank, setup.size);
  const int other = cube.other_of_pair();
  if (cube.waits()) {
    RETURN_IF_FAILED(PMPI_Send(setup.operand, count, type, other, kAlgorithmTag, comm));
    return PMPI_Recv(out, count, type, other, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
  }
  RETURN_IF_FAILED(reduce(setup, cube));
  if (!cube.paired()) return MPI_SUCCESS;
  return PMPI_Send(out, count, type, other, kAlgorithmTag, comm);
}

}  // namespace leadline::coll
