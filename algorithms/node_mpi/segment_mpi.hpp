// A segment for the ranks of a communicator.
//
// Not a window of MPI_Win_allocate_shared: a window must be freed by MPI_Win_free, which is
// collective, and the memory here goes when a communicator goes. Open MPI 4.1.4 crashes where
// MPI_Finalize deletes the attribute of MPI_COMM_WORLD that owns a window. Unmapping is local.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "algorithms/node/segment.hpp"
#include "algorithms/node_mpi/handing_over.hpp"

namespace leadline::node {

// A file for the memory, which the first rank has made, in the words by which the others find it.
// It has no name, so nothing is left behind by ranks that are killed.
class Offer {
 public:
  static constexpr std::size_t kWords = 4;
  using Words = std::array<std::uint64_t, kWords>;

  // None.
  Offer() = default;
  // The first rank's, of so many bytes, none of which takes memory yet; none where that fails.
  static Offer make(std::size_t bytes);
  // Another rank's.
  explicit Offer(const Words& words) : words_(words) {}

  // All ones where there is none.
  const Words& words() const { return words_; }
  bool none() const { return words_[0] == UINT64_MAX; }
  // The file, once; not open where it cannot be had, or is not the one that was made: in another
  // namespace of processes, or on another machine, the words may stand for somebody else's.
  Descriptor take();

 private:
  Words words_{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  Descriptor file_;  // the first rank's
};

// Of each rank's part.
struct Extent {
  std::size_t bytes;
  std::size_t least;  // that must be there from the start, the rest when it is asked for

  static Extent all_from_the_start(std::size_t bytes) { return {.bytes = bytes, .least = bytes}; }
};

// How long the file must be.
std::size_t file_bytes(const Extent& extent, int ranks);

// Collective over `node`, whose ranks can share memory; all bytes are zero. An empty segment on
// every rank where it cannot be had. `offer` is what the first rank has made and all were told of,
// or none on all. Returns an MPI error code.
int map_segment(MPI_Comm node, const Extent& extent, Offer offer, Segment& segment);

}  // namespace leadline::node
