// The root scatters the data down a binomial tree, a P-th for each rank, and P-1 steps around a
// ring bring all parts to all: 2 (P-1)/P of the data in and out of each rank, however many ranks.
//
// Parts are cut at bytes, so that ranks may describe the data by different datatypes; the last ones
// are empty, and so are their messages, where there are fewer bytes than ranks. Data whose bytes
// MPI's int cannot count are left to the binomial tree.
#include <algorithm>

#include "algorithms/bcast/bcast.hpp"
#include "algorithms/bcast/stream.hpp"
#include "algorithms/tree.hpp"

namespace leadline {
namespace {

// The bytes that belong to ranks at so many places of the tree.
struct Range {
  std::size_t first;
  int bytes;
};

class Parts {
 public:
  Parts(std::size_t bytes, int size)
      : bytes_(bytes), each_((bytes + static_cast<std::size_t>(size) - 1) / size) {}

  Range of(long place, int places) const {
    const std::size_t first = std::min(bytes_, each_ * static_cast<std::size_t>(place));
    const std::size_t last = std::min(bytes_, each_ * static_cast<std::size_t>(place + places));
    return {first, static_cast<int>(last - first)};
  }

 private:
  std::size_t bytes_;
  std::size_t each_;
};

int scatter_parts(const BinomialTree& tree, const Parts& parts, const Stream& stream,
                  MPI_Comm comm) {
  if (!tree.is_root()) {
    const Range range = parts.of(tree.place(), tree.span());
    RETURN_IF_FAILED(PMPI_Recv(stream.at(range.first), range.bytes, MPI_PACKED, tree.parent(),
                               kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  for (long step = tree.largest_step(); step > 0; step /= 2) {
    const Range range = parts.of(tree.place() + step, tree.child_span(step));
    RETURN_IF_FAILED(PMPI_Send(stream.at(range.first), range.bytes, MPI_PACKED, tree.child(step),
                               kAlgorithmTag, comm));
  }
  return MPI_SUCCESS;
}

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

const BcastAlgorithm scatter_allgather{
    "scatter_allgather",
    "scatter down a binomial tree and allgather around a ring, 2 (P-1)/P of the data a rank",
    "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts: Interprocessor Collective Communication "
    "Library (InterCom), SHPCC 1994",
    bcast_scatter_allgather};

}  // namespace
}  // namespace leadline
