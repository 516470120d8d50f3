// The root scatters the data down a binomial tree, a P-th for each rank, and P-1 steps around a
// ring bring all parts to all: 2 (P-1)/P of the data in and out of each rank, however many ranks.
//
// Data whose bytes MPI's int cannot count are left to the binomial tree.
#include "algorithms/bcast/bcast.hpp"
#include "algorithms/bcast/parts.hpp"
#include "algorithms/bcast/stream.hpp"
#include "algorithms/tree.hpp"

namespace leadline {
namespace {

int gather_parts(const BinomialTree& tree, int size, const Parts& parts, const Stream& stream,
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
  int rank = 0;
  int size = 0;
  Elements elements;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  RETURN_IF_FAILED(describe_elements(count, type, elements));
  if (size == 1 || elements.data == 0) return MPI_SUCCESS;
  if (!fits_a_message(elements.data)) return bcast_binomial(data, count, type, root, comm);

  const BinomialTree tree(rank, size, root);
  const Parts parts(elements.data, size);
  Stream stream;
  RETURN_IF_FAILED(stream.open(data, count, type, elements.data, rank == root, comm));
  RETURN_IF_FAILED(scatter_parts(tree, parts, stream, comm));
  RETURN_IF_FAILED(gather_parts(tree, size, parts, stream, comm));
  return rank == root ? MPI_SUCCESS : stream.deliver(comm);
}

namespace {

const BcastAlgorithm scatter_allgather{
    "scatter_allgather",
    "scatter down a binomial tree and allgather around a ring, 2 (P-1)/P of the data a rank",
    "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts: Interprocessor Collective Communication "
    "Library (InterCom), SHPCC 1994",
    bcast_scatter_allgather};

}  // namespace
}  // namespace leadline
