// A segment for the ranks of a communicator.
//
// Not a window of MPI_Win_allocate_shared: a window must be freed by MPI_Win_free, which is
// collective, and the memory here goes when a communicator goes. Open MPI 4.1.4 crashes where
// MPI_Finalize deletes the attribute of MPI_COMM_WORLD that owns a window. Unmapping is local.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "algorithms/node/segment.hpp"

namespace leadline::node {

// Collective over `node`, whose ranks can share memory; all bytes are zero. The memory has no name
// at any moment, so nothing is left behind by ranks that are killed. An empty segment on every rank
// where it cannot be had. Returns an MPI error code.
int map_segment(MPI_Comm node, std::size_t bytes_per_rank, Segment& segment);

}  // namespace leadline::node
