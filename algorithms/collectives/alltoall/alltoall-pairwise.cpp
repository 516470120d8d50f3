// P-1 steps in which each rank sends to one and receives from one: of a power of two, pairs
// exchange blocks; else step k goes to the rank k places ahead and comes from the one k behind.
#include <bit>

#include "algorithms/collectives/alltoall/alltoall.hpp"
#include "algorithms/collectives/alltoall/in_place.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {

int alltoall_pairwise(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                      MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(out_count, out_type, comm));
  const auto& [rank, size, block] = shape;
  Outgoing outgoing;
  if (block.data == 0) return MPI_SUCCESS;
  RETURN_IF_FAILED(outgoing.open(in, in_count, in_type, out, block, size, comm));
  if (in != MPI_IN_PLACE) {
    RETURN_IF_FAILED(copy_data(outgoing.block_for(rank), in_count, in_type, block.block(out, rank),
                               out_count, out_type, comm));
  }
  const bool exchanges = std::has_single_bit(static_cast<unsigned>(size));
  for (int step = 1; step < size; ++step) {
    const int receiver = exchanges ? rank ^ step : (rank + step) % size;
    const int sender = exchanges ? rank ^ step : (rank + size - step) % size;
    RETURN_IF_FAILED(PMPI_Sendrecv(outgoing.block_for(receiver), outgoing.count(), outgoing.type(),
                                   receiver, kAlgorithmTag, block.block(out, sender), out_count,
                                   out_type, sender, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

namespace {

const AlltoallAlgorithm pairwise{
    "pairwise", "P-1 steps, each rank sends a block to one and receives one from one",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    alltoall_pairwise};

}  // namespace
}  // namespace leadline::coll
