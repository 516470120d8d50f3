// The algorithms of MPI_Reduce_scatter_block. Each takes any datatype, any operation, MPI_IN_PLACE,
// any count and any number of ranks; operands of a non-commutative operation stay in the order of
// the ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct ReduceScatterBlock {
  using Function = int(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm);
};
using ReduceScatterBlockAlgorithm = Algorithm<ReduceScatterBlock>;

// Sends single blocks only, so that others fall back on it.
ReduceScatterBlock::Function reduce_scatter_block_pairwise;

}  // namespace leadline::coll
