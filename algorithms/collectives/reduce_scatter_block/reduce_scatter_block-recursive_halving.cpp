// log2(P) exchanges of half of the data, a quarter and so on: see scattering_by_halves.cpp.
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"
#include "algorithms/collectives/scattering.hpp"

namespace leadline::coll {
namespace {

int reduce_scatter_block_recursive_halving(const void* in, void* out, int count, MPI_Datatype type,
                                           MPI_Op op, MPI_Comm comm) {
  return scatter_by_halves({in, out, BlockCounts(count), type, op, comm});
}

const ReduceScatterBlockAlgorithm recursive_halving{
    "recursive_halving", "log2(P) exchanges of half of the data, a quarter, an eighth ...",
    "Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004, LNCS 3036",
    reduce_scatter_block_recursive_halving};

}  // namespace
}  // namespace leadline::coll
