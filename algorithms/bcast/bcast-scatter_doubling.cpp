// The root scatters the data down a binomial tree, a P-th for each rank, and ranks exchange all
// that they have with the one whose place differs in the lowest bit, the next, and so on: as many
// bytes as around a ring, in log2(P) steps instead of P-1.
//
// Where P is no power of two, and where MPI's int cannot count the bytes, the ring and the binomial
// tree do it.
#include <bit>

#include "algorithms/bcast/bcast.hpp"
#include "algorithms/bcast/parts.hpp"
#include "algorithms/bcast/stream.hpp"
#include "algorithms/tree.hpp"

namespace leadline {
namespace {

int gather_doubling(const BinomialTree& tree, int size, const Parts& parts, const Stream& stream,
                    MPI_Comm comm) {
  for (int bit = 1; bit < size; bit *= 2) {
    const int mine = tree.place() / bit * bit;
    const int other = tree.rank_at(tree.place() ^ bit);
    const Range sent = parts.of(mine, bit);
    const Range received = parts.of(mine ^ bit, bit);
    RETURN_IF_FAILED(PMPI_Sendrecv(stream.at(sent.first), sent.bytes, MPI_PACKED, other,
                                   kAlgorithmTag, stream.at(received.first), received.bytes,
                                   MPI_PACKED, other, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

int bcast_scatter_doubling(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  Elements elements;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  if (!std::has_single_bit(static_cast<unsigned>(size))) {
    return bcast_scatter_allgather(data, count, type, root, comm);
  }
  RETURN_IF_FAILED(describe_elements(count, type, elements));
  if (size == 1 || elements.data == 0) return MPI_SUCCESS;
  if (!fits_a_message(elements.data)) return bcast_binomial(data, count, type, root, comm);

  const BinomialTree tree(rank, size, root);
  const Parts parts(elements.data, size);
  Stream stream;
  RETURN_IF_FAILED(stream.open(data, count, type, elements.data, rank == root, comm));
  RETURN_IF_FAILED(scatter_parts(tree, parts, stream, comm));
  RETURN_IF_FAILED(gather_doubling(tree, size, parts, stream, comm));
  return rank == root ? MPI_SUCCESS : stream.deliver(comm);
}

const BcastAlgorithm scatter_doubling{
    "scatter_doubling",
    "scatter down a binomial tree and allgather by recursive doubling; a number of ranks that is "
    "no "
    "power of two takes the ring",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    bcast_scatter_doubling};

}  // namespace
}  // namespace leadline
