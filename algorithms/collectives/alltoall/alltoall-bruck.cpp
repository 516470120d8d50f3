// Each block is known by the distance it has to go around the ranks, and in step k all blocks whose
// distance has bit k go 2^k places ahead: ceil(log2(P)) messages a rank instead of P-1, but each
// block travels once for every bit of its distance.
//
// Data whose bytes MPI's int cannot count are left to the pairwise exchange.
#include <cstring>

#include "algorithms/collectives/alltoall/alltoall.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

// Blocks of bytes by distance.
class Blocks {
 public:
  int allocate(int blocks, std::size_t bytes) {
    bytes_ = bytes;
    return memory_.allocate_bytes(bytes * static_cast<std::size_t>(blocks));
  }
  std::byte* at(int index) const {
    return memory_.bytes() + bytes_ * static_cast<std::size_t>(index);
  }

 private:
  Scratch memory_;
  std::size_t bytes_ = 0;
};

int travel(const Blocks& blocks, std::size_t bytes, int rank, int size, MPI_Comm comm) {
  Blocks leaving;
  Blocks arriving;
  RETURN_IF_FAILED(leaving.allocate(size, bytes));
  RETURN_IF_FAILED(arriving.allocate(size, bytes));
  for (long bit = 1; bit < size; bit *= 2) {
    const int places = static_cast<int>(bit);
    const int ahead = static_cast<int>((rank + bit) % size);
    const int behind = (rank + size - places) % size;
    int moved = 0;
    for (int distance = places; distance < size; ++distance) {
      if ((distance & places) != 0) std::memcpy(leaving.at(moved++), blocks.at(distance), bytes);
    }
    const int moved_bytes = moved * static_cast<int>(bytes);
    RETURN_IF_FAILED(PMPI_Sendrecv(leaving.at(0), moved_bytes, MPI_PACKED, ahead, kAlgorithmTag,
                                   arriving.at(0), moved_bytes, MPI_PACKED, behind, kAlgorithmTag,
                                   comm, MPI_STATUS_IGNORE));
    moved = 0;
    for (int distance = places; distance < size; ++distance) {
      if ((distance & places) != 0) std::memcpy(blocks.at(distance), arriving.at(moved++), bytes);
    }
  }
  return MPI_SUCCESS;
}

int alltoall_bruck(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                   MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(out_count, out_type, comm));
  const auto& [rank, size, block] = shape;
  Elements in_block;
  if (block.data == 0) return MPI_SUCCESS;
  const std::size_t bytes = block.data;
  if (!fits_a_message(bytes * static_cast<std::size_t>(size))) {
    return alltoall_pairwise(in, in_count, in_type, out, out_count, out_type, comm);
  }
  if (in == MPI_IN_PLACE) {
    in = out;
    in_block = block;
  } else {
    RETURN_IF_FAILED(describe_elements(in_count, in_type, in_block));
  }

  Blocks blocks;
  RETURN_IF_FAILED(blocks.allocate(size, bytes));
  for (int distance = 0; distance < size; ++distance) {
    const int receiver = (rank + distance) % size;
    RETURN_IF_FAILED(pack(in_block.block(in, receiver), in_block.count, in_block.type,
                          blocks.at(distance), bytes, comm));
  }
  RETURN_IF_FAILED(travel(blocks, bytes, rank, size, comm));
  for (int distance = 0; distance < size; ++distance) {
    const int sender = (rank + size - distance) % size;
    RETURN_IF_FAILED(
        unpack(blocks.at(distance), bytes, block.block(out, sender), out_count, out_type, comm));
  }
  return MPI_SUCCESS;
}

const AlltoallAlgorithm bruck{
    "bruck", "ceil(log2(P)) exchanges of up to half of the blocks, for small ones",
    "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient Algorithms for All-to-All Communications in "
    "Multiport Message-Passing Systems, IEEE TPDS 8(11), 1997",
    alltoall_bruck};

}  // namespace
}  // namespace leadline::coll
