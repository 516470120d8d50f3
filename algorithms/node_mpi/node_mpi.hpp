// The ranks of one node as MPI knows them.
#pragma once

#include <mpi.h>

#include <memory>

#include "algorithms/node/node.hpp"

namespace leadline::node {

// Collective over `comm`; `ranks` are those of this node. nullptr on all of them where memory
// cannot be shared. `comm` is the communicator whose progress a rank makes that waits long.
// Returns an MPI error code.
int create_node(MPI_Comm ranks, MPI_Comm comm, std::unique_ptr<Node>& node);

}  // namespace leadline::node
