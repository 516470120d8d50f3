// The algorithms of MPI_Bcast. Each takes any datatype, any root, any count and any number of
// ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Bcast {
  using Function = int(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;
  static constexpr std::size_t kOneWayTo = 511;
};
using BcastAlgorithm = Algorithm<Bcast>;

// Never cuts the data, so that others fall back on it.
Bcast::Function bcast_binomial;
// Takes any number of ranks alike.
Bcast::Function bcast_scatter_allgather;

}  // namespace leadline::coll
