// Recursive doubling for prefixes: what scan and exscan have in common.
#pragma once

#include <mpi.h>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/elements.hpp"

namespace leadline::coll {

// Of the ranks from `first` on, in step k each hands what it has added up to the one 2^k places on,
// so that it has the operands of the 2^(k+1) ranks up to itself.
// `sum` begins as this rank's operand and ends as what all operands up to it add up to; `arriving`
// is room for as many elements.
inline int add_up_prefix(int first, int rank, int size, void* sum, void* arriving,
                         const Elements& elements, MPI_Op op, MPI_Comm comm) {
  const int count = elements.count;
  const MPI_Datatype type = elements.type;
  for (int distance = 1; distance < size - first; distance *= 2) {
    const int to = rank + distance < size ? rank + distance : MPI_PROC_NULL;
    const int from = rank - distance >= first ? rank - distance : MPI_PROC_NULL;
    if (to == MPI_PROC_NULL && from == MPI_PROC_NULL) continue;
    RETURN_IF_FAILED(PMPI_Sendrecv(sum, count, type, to, kAlgorithmTag, arriving, count, type, from,
                                   kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    if (from == MPI_PROC_NULL) continue;
    RETURN_IF_FAILED(PMPI_Reduce_local(arriving, sum, count, type, op));
  }
  return MPI_SUCCESS;
}

}  // namespace leadline::coll
