// Blocks are passed on around a ring: P-1 exchanges, each as long as its longer block.
#include "algorithms/collectives/allgatherv/allgatherv.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {

int allgatherv_ring(const void* in, int in_count, MPI_Datatype in_type, void* out,
                    const int* counts, const int* offsets, MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(1, out_type, comm));
  const auto& [rank, size, element] = shape;
  bool any = false;
  for (int other = 0; other < size; ++other) any = any || counts[other] > 0;
  if (!any || element.data == 0) return MPI_SUCCESS;
  const auto block = [&](int other) { return shape.elements.at(out, offsets[other]); };
  if (in != MPI_IN_PLACE && in_count > 0) {
    RETURN_IF_FAILED(copy_data(in, in_count, in_type, block(rank), counts[rank], out_type, comm));
  }
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  int sent = rank;
  for (int step = 1; step < size; ++step) {
    const int received = (sent + size - 1) % size;
    RETURN_IF_FAILED(PMPI_Sendrecv(block(sent), counts[sent], out_type, next, kAlgorithmTag,
                                   block(received), counts[received], out_type, previous,
                                   kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    sent = received;
  }
  return MPI_SUCCESS;
}

namespace {

const AllgathervAlgorithm ring{
    "ring", "blocks are passed on around a ring, P-1 exchanges of one block",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    allgatherv_ring};

}  // namespace
}  // namespace leadline::coll
