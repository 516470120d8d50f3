// The neighbourhood collectives of a communicator whose ranks are on one node.
#pragma once

#include <mpi.h>

#include "algorithms/neighbourhood/edge_blocks.hpp"

namespace leadline::node {

// Hands the blocks along the edges of `comm`, which has a topology or was lent one. Collective;
// kLeftToLibrary on all ranks where they are on several nodes or cannot share memory. Returns an
// MPI error code: MPI_ERR_TRUNCATE where more came than there is room for.
int exchange_along_edges(coll::EdgeBlocks sent, coll::EdgeBlocks received, MPI_Comm comm);

}  // namespace leadline::node
