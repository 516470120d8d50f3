// The algorithms of MPI_Barrier.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Barrier {
  using Function = int(MPI_Comm comm);
};
using BarrierAlgorithm = Algorithm<Barrier>;

}  // namespace leadline::coll
