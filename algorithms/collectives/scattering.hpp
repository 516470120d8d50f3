// Reductions that leave each rank one block of the result, of equal blocks or not.
#pragma once

#include <mpi.h>

#include "algorithms/collectives/block_counts.hpp"

namespace leadline::coll {

struct ScatteringCall {
  const void* in;
  void* out;
  BlockCounts counts;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Comm comm;
};

// Each returns an MPI error code.
int scatter_by_pairs(const ScatteringCall& call);
int scatter_by_halves(const ScatteringCall& call);

}  // namespace leadline::coll
