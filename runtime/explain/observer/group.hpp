// Ranks that come to collectives together, and when each of them came.
//
// Members write the time at which they come into a ring of their own in the node's shared memory;
// whoever has waited reads those of the others afterwards.
#pragma once

#include <atomic>
#include <vector>

#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {

struct alignas(16) Stamp {
  std::atomic<u64> call;
  std::atomic<u64> ticks;
};

struct alignas(64) Ring {
  static constexpr u64 kStamps = 16;
  std::atomic<u64> key;  // of its group, where members find one another's rings by it
  Stamp stamps[kStamps];
};

constexpr int kSlots = 256;  // rings of each rank

Ring* ring_of(int index, int slot);

struct Member {
  int rank;
  int world;
  const Ring* ring;
};

struct Group {
  u64 number = kUnknownComm;
  int size = 0;
  int rank = 0;
  int nodes = 0;
  bool agreed = false;  // members count its calls alike
  bool all_have_rings = false;
  Ring* own = nullptr;
  std::vector<Member> here;   // the other ones on this node
  std::vector<int> world_of;  // by rank in the group
  u64 calls = 0;

  int world(int of) const {
    return of >= 0 && static_cast<std::size_t>(of) < world_of.size()
               ? world_of[static_cast<std::size_t>(of)]
               : kNoPeer;
  }
};

// On how many nodes ranks of the job are.
int count_nodes(const std::vector<int>& world_of);

// This rank comes to a collective. Returns the call's number.
u64 arrive(Group& known, u64 ticks);

// Of those who made this rank wait in a call: who came last, and when.
struct Latest {
  u64 ticks = 0;
  int world = kNoPeer;
  bool partial = false;
};
Latest latest(const Group& known, Shape shape, int root, u64 call, u64 begun);

// How much of a call that is over was waiting for other members.
Waited waited(const Group& known, Shape shape, int root, u64 number, const Call& call);

}  // namespace leadline::explain
