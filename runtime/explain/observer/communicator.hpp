// What is known of a communicator, and when its members came to its collectives.
//
// Members write the time at which they come into a ring of their own in the node's shared memory;
// whoever has waited reads those of the others afterwards. Which ring is whose is told once, with
// the communicator's number, when it is made, or in its first blocking collective.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {

struct Stamp {
  std::atomic<u64> call;
  std::atomic<u64> ticks;
};

struct Ring {
  static constexpr u64 kStamps = 16;
  Stamp stamps[kStamps];
};

constexpr int kSlots = 256;  // rings of each rank

struct Member {
  int rank;
  int world;
  const Ring* ring;
};

struct Communicator {
  u64 number = kUnknownComm;
  int size = 0;
  int rank = 0;
  int nodes = 0;
  bool is_inter = false;
  bool agreed = false;
  bool all_have_rings = false;
  int slot = -1;
  Ring* own = nullptr;
  std::vector<Member> here;   // the other ones on this node
  std::vector<int> world_of;  // of an intercommunicator's remote group
  u64 calls = 0;
  std::atomic<int> references{1};

  // Ranks of another MPI_COMM_WORLD.
  bool has_strangers() const {
    return std::find(world_of.begin(), world_of.end(), kNoPeer) != world_of.end();
  }

  int world(int of) const {
    return of >= 0 && static_cast<std::size_t>(of) < world_of.size()
               ? world_of[static_cast<std::size_t>(of)]
               : kNoPeer;
  }
};

// nullptr: MPI_COMM_NULL, or unknown.
Communicator* communicator(MPI_Comm comm);

// Collective over the communicator, which is no intercommunicator. Does so where it has not been
// done; a communicator of one rank needs no word, and ranks that were started apart from this one
// may not be observed: nobody agrees with them.
void agree(Communicator& known, MPI_Comm comm);

// The same for collectives of windows and files, which have calls of their own.
Communicator* agreed_copy(MPI_Comm comm);

void retain(Communicator& known);
void release(Communicator* known);
void forget_communicators();

// Of windows and files: what was kept for a handle.
void keep(u64 handle, Communicator* known);
Communicator* kept(u64 handle);
void drop(u64 handle);

// This rank comes to a collective. Returns the call's number.
u64 arrive(Communicator& known, u64 ticks);

// Of those who made this rank wait in a call: who came last, and when.
struct Latest {
  u64 ticks = 0;
  int world = kNoPeer;
  bool partial = false;
};
Latest latest(const Communicator& known, Shape shape, int root, u64 call, u64 begun);

// How much of a call that is over was waiting for other members.
Waited waited(const Communicator& known, Shape shape, int root, u64 number, const Call& call);

}  // namespace leadline::explain
