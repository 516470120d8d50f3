// P-1 exchanges of one block: see scattering_by_pairs.cpp.
#include "algorithms/collectives/reduce_scatter/reduce_scatter.hpp"
#include "algorithms/collectives/scattering.hpp"

namespace leadline::coll {

int reduce_scatter_pairwise(const void* in, void* out, const int* counts, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm) {
  return scatter_by_pairs({in, out, BlockCounts(counts), type, op, comm});
}

namespace {

const ReduceScatterAlgorithm pairwise{
    "pairwise", "P-1 exchanges of one block between all pairs of ranks",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    reduce_scatter_pairwise};

}  // namespace
}  // namespace leadline::coll
