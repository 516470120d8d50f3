// P-1 exchanges of one block: see scattering_by_pairs.cpp.
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"
#include "algorithms/collectives/scattering.hpp"

namespace leadline::coll {

int reduce_scatter_block_pairwise(const void* in, void* out, int count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm) {
  return scatter_by_pairs({in, out, BlockCounts(count), type, op, comm});
}

namespace {

const ReduceScatterBlockAlgorithm pairwise{
    "pairwise", "P-1 exchanges of one block between all pairs of ranks",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    reduce_scatter_block_pairwise};

}  // namespace
}  // namespace leadline::coll
