// The algorithms of MPI_Neighbor_allgatherv. Each takes any datatypes, any counts and any topology:
// ranks that are their own neighbours, neighbours several times, and no neighbours at all. On all
// ranks alike, kLeftToLibrary where there is no topology.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct NeighborAllgatherv {
  using Function = int(const void* in, int in_count, MPI_Datatype in_type, void* out,
                       const int* counts, const int* offsets, MPI_Datatype out_type, MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;
};
using NeighborAllgathervAlgorithm = Algorithm<NeighborAllgatherv>;

}  // namespace leadline::coll
