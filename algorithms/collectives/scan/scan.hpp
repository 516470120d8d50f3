// The algorithms of MPI_Scan. Each takes any datatype, any operation, MPI_IN_PLACE, any count and
// any number of ranks; operands of a non-commutative operation stay in the order of the ranks.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

struct Scan {
  using Function = int(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm);
  static constexpr bool kWaitsForAll = false;
};
using ScanAlgorithm = Algorithm<Scan>;

// Needs the fewest steps, so that others fall back on it.
Scan::Function scan_recursive_doubling;

}  // namespace leadline::coll
