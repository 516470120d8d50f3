// What is known of a communicator.
//
// Which of a member's rings is the communicator's is told once, with its number, when it is made,
// or in its first blocking collective.
#pragma once

#include <mpi.h>

#include <atomic>

#include "runtime/explain/observer/group.hpp"

namespace leadline::explain {

struct Communicator : Group {
  // Then the members are those of the remote group, for which collectives wait, and this rank has
  // no number among them.
  bool is_inter = false;
  bool has_strangers = false;  // ranks of another MPI_COMM_WORLD, in either group
  int slot = -1;
  std::atomic<int> references{1};
};

// nullptr: MPI_COMM_NULL, or unknown.
Communicator* communicator(MPI_Comm comm);

// Collective over the communicator, of an intercommunicator over both groups. Does so where it has
// not been done; a communicator of one rank needs no word, and ranks that were started apart from
// this one may not be observed: nobody agrees with them.
void agree(Communicator& known, MPI_Comm comm);

// The same for collectives of windows and files, which have calls of their own.
Communicator* agreed_copy(MPI_Comm comm);

void retain(Communicator& known);
void release(Communicator* known);
// Before MPI ends.
void forget_world();

// Of windows and files: what was kept for a handle.
void keep(u64 handle, Communicator* known);
Communicator* kept(u64 handle);
void drop(u64 handle);

}  // namespace leadline::explain
