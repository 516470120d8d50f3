// The algorithms of MPI_Alltoall. Each takes any datatypes, MPI_IN_PLACE, any counts and any number
// of ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Alltoall {
  using Function = int(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                       MPI_Datatype out_type, MPI_Comm comm);
};
using AlltoallAlgorithm = Algorithm<Alltoall>;

// Sends single blocks only, so that others fall back on it.
Alltoall::Function alltoall_pairwise;

}  // namespace leadline::coll
