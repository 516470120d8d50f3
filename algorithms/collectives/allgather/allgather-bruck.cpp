// In step k each rank sends all blocks it has to the rank 2^k places behind and receives as many
// from the one 2^k places ahead: ceil(log2(P)) steps for any P. Blocks are kept in the order of
// their distance, and put in the order of ranks at the end.
//
// Data whose bytes MPI's int cannot count are left to the ring.
#include <algorithm>

#include "algorithms/collectives/allgather/allgather.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

int allgather_bruck(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                    MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(out_count, out_type, comm));
  const auto& [rank, size, block] = shape;
  if (block.data == 0) return MPI_SUCCESS;
  const std::size_t bytes = block.data;
  if (!fits_a_message(bytes * static_cast<std::size_t>(size))) {
    return allgather_ring(in, in_count, in_type, out, out_count, out_type, comm);
  }

  Scratch known;
  RETURN_IF_FAILED(known.allocate_bytes(bytes * static_cast<std::size_t>(size)));
  const auto at = [&](int distance) {
    return known.bytes() + bytes * static_cast<std::size_t>(distance);
  };
  const auto bytes_of = [&](int blocks) { return static_cast<int>(bytes) * blocks; };
  if (in == MPI_IN_PLACE) {
    RETURN_IF_FAILED(pack(block.block(out, rank), out_count, out_type, at(0), bytes, comm));
  } else {
    RETURN_IF_FAILED(pack(in, in_count, in_type, at(0), bytes, comm));
  }
  for (int blocks = 1; blocks < size;) {
    const int sent = std::min(blocks, size - blocks);
    const int ahead = (rank + blocks) % size;
    const int behind = (rank + size - blocks) % size;
    RETURN_IF_FAILED(PMPI_Sendrecv(at(0), bytes_of(sent), MPI_PACKED, behind, kAlgorithmTag,
                                   at(blocks), bytes_of(sent), MPI_PACKED, ahead, kAlgorithmTag,
                                   comm, MPI_STATUS_IGNORE));
    blocks += sent;
  }
  const int until_end = size - rank;
  RETURN_IF_FAILED(unpack(at(0), bytes * static_cast<std::size_t>(until_end),
                          block.block(out, rank), until_end * out_count, out_type, comm));
  return unpack(at(until_end), bytes * static_cast<std::size_t>(rank), out, rank * out_count,
                out_type, comm);
}

const AllgatherAlgorithm bruck{
    "bruck", "ceil(log2(P)) exchanges of all blocks known so far, for any number of ranks",
    "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient Algorithms for All-to-All Communications in "
    "Multiport Message-Passing Systems, IEEE TPDS 8(11), 1997",
    allgather_bruck};

}  // namespace
}  // namespace leadline::coll
