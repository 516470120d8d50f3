// The root scatters the data down a binomial tree, a P-th for each rank, and P-1 steps around a
// ring bring all parts to all: 2 (P-1)/P of the data in and out of each rank, however many ranks.
#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/bcast/parts.hpp"

namespace leadline::coll {
namespace {

int gather_around_ring(const BinomialTree& tree, int size, const Parts& parts, const Stream& stream,
                       MPI_Comm comm) {
  const int next = tree.rank_at((tree.place() + 1) % size);
  const int previous = tree.rank_at((tree.place() + size - 1) % size);
  for (int step = 0; step < size - 1; ++step) {
    const Range sent = parts.of((tree.place() + size - step) % size, 1);
    const Range received = parts.of((tree.place() + size - step - 1) % size, 1);
    RETURN_IF_FAILED(PMPI_Sendrecv(stream.at(sent.first), sent.bytes, MPI_PACKED, next,
                                   kAlgorithmTag, stream.at(received.first), received.bytes,
                                   MPI_PACKED, previous, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

}  // namespace

int bcast_scatter_allgather(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return bcast_in_parts(data, count, type, root, comm, gather_around_ring);
}

namespace {

const BcastAlgorithm scatter_allgather{
    "scatter_allgather",
    "scatter down a binomial tree and allgather around a ring, 2 (P-1)/P of the data a rank",
    "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts: Interprocessor Collective Communication "
    "Library (InterCom), SHPCC 1994",
    bcast_scatter_allgather};

}  // namespace
}  // namespace leadline::coll
