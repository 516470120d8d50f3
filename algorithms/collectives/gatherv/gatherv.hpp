// The algorithms of MPI_Gatherv. Each takes any datatypes, any root, MPI_IN_PLACE at the root, any
// counts and any number of ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Gatherv {
  using Function = int(const void* in, int in_count, MPI_Datatype in_type, void* out,
                       const int* counts, const int* offsets, MPI_Datatype out_type, int root,
                       MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;
};
using GathervAlgorithm = Algorithm<Gatherv>;

}  // namespace leadline::coll
