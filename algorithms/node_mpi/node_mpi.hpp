// The ranks of one node as MPI knows them.
#pragma once

#include <mpi.h>

#include <memory>

#include "algorithms/node/node.hpp"

namespace leadline::node {

// What ranks find out in one collective before they share memory.
struct Common {
  Room room = kLittle;      // what the least of them would give
  bool know_nodes = false;  // all of them
  bool crowded = false;     // there are more of them than cores, if they are on one node
};

// Progress of the library for what may outlive the communicator that it was made on.
std::unique_ptr<Progress> progress_for_good();

// Collective over `comm`. Returns an MPI error code.
int find_common(MPI_Comm comm, bool knows_nodes, Common& common);

// Collective over `comm`; `ranks` are those of this node. nullptr on all of them where memory
// cannot be shared. `comm` is the communicator whose progress a rank makes that waits long.
// Returns an MPI error code.
int create_node(MPI_Comm ranks, MPI_Comm comm, const Common& common, std::unique_ptr<Node>& node);

}  // namespace leadline::node
