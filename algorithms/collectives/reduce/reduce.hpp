// The algorithms of MPI_Reduce. Each takes any datatype, any operation, any root, MPI_IN_PLACE at
// the root, any count and any number of ranks; operands of a non-commutative operation stay in the
// order of the ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Reduce {
  using Function = int(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
                       MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;
};
using ReduceAlgorithm = Algorithm<Reduce>;

// Also the first half of an allreduce.
Reduce::Function reduce_binomial;

}  // namespace leadline::coll
