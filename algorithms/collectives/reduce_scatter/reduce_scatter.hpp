// The algorithms of MPI_Reduce_scatter. Each takes any datatype, any operation, MPI_IN_PLACE, any
// counts and any number of ranks; operands of a non-commutative operation stay in the order of the
// ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct ReduceScatter {
  using Function = int(const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm);
};
using ReduceScatterAlgorithm = Algorithm<ReduceScatter>;

// Sends single blocks only, so that others fall back on it.
ReduceScatter::Function reduce_scatter_pairwise;

}  // namespace leadline::coll
