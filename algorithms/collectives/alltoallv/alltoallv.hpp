// The algorithms of MPI_Alltoallv. Each takes any datatypes, MPI_IN_PLACE, any counts, offsets in
// any order and any number of ranks. No rank knows the sizes of other ranks' blocks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Alltoallv {
  using Function = int(const void* in, const int* in_counts, const int* in_offsets,
                       MPI_Datatype in_type, void* out, const int* out_counts,
                       const int* out_offsets, MPI_Datatype out_type, MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;  // where a count is 0
};
using AlltoallvAlgorithm = Algorithm<Alltoallv>;

}  // namespace leadline::coll
