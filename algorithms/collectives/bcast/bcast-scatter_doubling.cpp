// The root scatters the data down a binomial tree, a P-th for each rank, and ranks exchange all
// that they have with the one whose place differs in the lowest bit, the next, and so on: as many
// bytes as around a ring, in log2(P) steps instead of P-1.
//
// Where P is no power of two, the ring does it.
#include <bit>

#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/bcast/parts.hpp"

namespace leadline::coll {
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
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  if (!std::has_single_bit(static_cast<unsigned>(size))) {
    return bcast_scatter_allgather(data, count, type, root, comm);
  }
  return bcast_in_parts(data, count, type, root, comm, gather_doubling);
}

const BcastAlgorithm scatter_doubling{
    "scatter_doubling",
    "scatter down a binomial tree and allgather by recursive doubling; a number of ranks that is "
    "no power of two takes the ring",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    bcast_scatter_doubling};

}  // namespace
}  // namespace leadline::coll
