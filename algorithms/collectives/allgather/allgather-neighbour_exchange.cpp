// P/2 exchanges with the two neighbours in turn, of two blocks each but for the first: every rank
// passes on what it received last, so that half of the ring's steps do.
//
// Ranks 2p and 2p+1 are a pair. The first exchange is within pairs, of one block. Then pairs'
// blocks travel both ways around: even ranks and the odd ones before them exchange what they got
// last, and so do the ranks of a pair, by turns. An odd number of ranks is left to the ring, and so
// are data whose bytes MPI's int cannot count.
#include "algorithms/collectives/allgather/allgather.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

int allgather_neighbour_exchange(const void* in, int in_count, MPI_Datatype in_type, void* out,
                                 int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(out_count, out_type, comm));
  const auto& [rank, size, block] = shape;
  if (block.data == 0) return MPI_SUCCESS;
  if (size % 2 != 0 || !fits_a_message(2 * block.data)) {
    return allgather_ring(in, in_count, in_type, out, out_count, out_type, comm);
  }
  if (in != MPI_IN_PLACE) {
    RETURN_IF_FAILED(
        copy_data(in, in_count, in_type, block.block(out, rank), out_count, out_type, comm));
  }
  const bool even = rank % 2 == 0;
  const int other_of_pair = even ? rank + 1 : rank - 1;
  const int beside = even ? (rank + size - 1) % size : (rank + 1) % size;
  RETURN_IF_FAILED(PMPI_Sendrecv(block.block(out, rank), out_count, out_type, other_of_pair,
                                 kAlgorithmTag, block.block(out, other_of_pair), out_count,
                                 out_type, other_of_pair, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  const int pairs = size / 2;
  int sent = rank / 2;
  for (int step = 1; step < pairs; ++step) {
    // The next pair's blocks come from either side by turns, each time from one pair further.
    const bool crosses = step % 2 != 0;
    const int distance = (step + 1) / 2;
    const int received = (rank / 2 + (even == crosses ? pairs - distance : distance)) % pairs;
    const int neighbour = crosses ? beside : other_of_pair;
    RETURN_IF_FAILED(PMPI_Sendrecv(block.block(out, 2 * sent), 2 * out_count, out_type, neighbour,
                                   kAlgorithmTag, block.block(out, 2 * received), 2 * out_count,
                                   out_type, neighbour, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    sent = received;
  }
  return MPI_SUCCESS;
}

const AllgatherAlgorithm neighbour_exchange{
    "neighbour_exchange",
    "P/2 exchanges of two blocks with the neighbours in turn; an odd number of ranks takes the "
    "ring",
    "Chen, Zhang, Zhang, Yuan: Performance Evaluation of Allgather Algorithms on Terascale Linux "
    "Cluster with Fast Ethernet, HPC Asia 2005",
    allgather_neighbour_exchange};

}  // namespace
}  // namespace leadline::coll
