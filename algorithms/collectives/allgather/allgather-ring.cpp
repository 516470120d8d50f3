// P-1 steps around the ring: each rank passes on the block that it received last.
#include "algorithms/collectives/allgather/allgather.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {

int allgather_ring(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                   MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(out_count, out_type, comm));
  const auto& [rank, size, block] = shape;
  if (block.data == 0) return MPI_SUCCESS;
  if (in != MPI_IN_PLACE) {
    RETURN_IF_FAILED(
        copy_data(in, in_count, in_type, block.block(out, rank), out_count, out_type, comm));
  }
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  int sent = rank;
  for (int step = 1; step < size; ++step) {
    const int received = (sent + size - 1) % size;
    RETURN_IF_FAILED(PMPI_Sendrecv(block.block(out, sent), out_count, out_type, next, kAlgorithmTag,
                                   block.block(out, received), out_count, out_type, previous,
                                   kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    sent = received;
  }
  return MPI_SUCCESS;
}

namespace {

const AllgatherAlgorithm ring{
    "ring", "blocks are passed on around a ring, P-1 exchanges of one block",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    allgather_ring};

}  // namespace
}  // namespace leadline::coll
