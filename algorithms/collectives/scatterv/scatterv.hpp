// The algorithms of MPI_Scatterv. Each takes any datatypes, any root, MPI_IN_PLACE at the root, any
// counts and any number of ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Scatterv {
  using Function = int(const void* in, const int* counts, const int* offsets, MPI_Datatype in_type,
                       void* out, int out_count, MPI_Datatype out_type, int root, MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;
};
using ScattervAlgorithm = Algorithm<Scatterv>;

}  // namespace leadline::coll
