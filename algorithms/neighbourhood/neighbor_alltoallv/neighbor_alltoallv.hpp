// The algorithms of MPI_Neighbor_alltoallv. Each takes any datatypes, any counts and any topology:
// ranks that are their own neighbours, neighbours several times, and no neighbours at all. On all
// ranks alike, kLeftToLibrary where there is no topology.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct NeighborAlltoallv {
  using Function = int(const void* in, const int* in_counts, const int* in_offsets,
                       MPI_Datatype in_type, void* out, const int* out_counts,
                       const int* out_offsets, MPI_Datatype out_type, MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;
};
using NeighborAlltoallvAlgorithm = Algorithm<NeighborAlltoallv>;

}  // namespace leadline::coll
