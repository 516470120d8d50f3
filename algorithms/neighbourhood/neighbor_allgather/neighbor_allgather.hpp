// The algorithms of MPI_Neighbor_allgather. Each takes any datatypes, any counts and any topology:
// ranks that are their own neighbours, neighbours several times, and no neighbours at all. On all
// ranks alike, kLeftToLibrary where there is no topology.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct NeighborAllgather {
  using Function = int(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                       MPI_Datatype out_type, MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;
};
using NeighborAllgatherAlgorithm = Algorithm<NeighborAllgather>;

}  // namespace leadline::coll
