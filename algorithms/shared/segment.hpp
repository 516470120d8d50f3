// Memory that the ranks of a node share.
//
// Not a window of MPI_Win_allocate_shared: a window must be freed by MPI_Win_free, which is
// collective, and the memory here goes when a communicator goes. Open MPI 4.1.4 crashes where
// MPI_Finalize deletes the attribute of MPI_COMM_WORLD that owns a window. Unmapping is local.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace leadline {

class Segment {
 public:
  Segment() = default;
  ~Segment();
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;

  // Collective over `node`, whose ranks can share memory; all bytes are zero. The memory has no
  // name any more when this returns, so nothing is left behind by ranks that are killed. An empty
  // segment on every rank where it cannot be had. Returns an MPI error code.
  static int map(MPI_Comm node, std::size_t bytes_per_rank, Segment& segment);

  bool empty() const { return memory_ == nullptr; }
  std::byte* of(int rank) const {
    return memory_ + static_cast<std::size_t>(rank) * bytes_per_rank_;
  }

 private:
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t bytes_per_rank_ = 0;
};

}  // namespace leadline
