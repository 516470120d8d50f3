// The algorithms of MPI_Gather. Each takes any datatypes, any root, MPI_IN_PLACE at the root, any
// counts and any number of ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Gather {
  using Function = int(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                       MPI_Datatype out_type, int root, MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;
};
using GatherAlgorithm = Algorithm<Gather>;

// Sends single blocks only, so that others fall back on it.
Gather::Function gather_linear;

}  // namespace leadline::coll
