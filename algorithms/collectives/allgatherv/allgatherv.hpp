// The algorithms of MPI_Allgatherv. Each takes any datatypes, MPI_IN_PLACE, any counts and any
// number of ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Allgatherv {
  using Function = int(const void* in, int in_count, MPI_Datatype in_type, void* out,
                       const int* counts, const int* offsets, MPI_Datatype out_type, MPI_Comm comm);
};
using AllgathervAlgorithm = Algorithm<Allgatherv>;

Allgatherv::Function allgatherv_ring;

}  // namespace leadline::coll
