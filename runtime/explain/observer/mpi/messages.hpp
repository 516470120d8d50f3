// Messages between ranks of this node: when each was sent, and when its receiver asked for it.
//
// For each pair of ranks there is a ring of the latest messages in the node's shared memory. A
// sender adds one; the receiver takes the oldest of its tag and communicator, as MPI matches them.
#pragma once

#include <mpi.h>

#include <atomic>

#include "runtime/explain/observer/group.hpp"

namespace leadline::explain {

struct Message {
  std::atomic<u64> number;  // of the pair, from 1
  int tag;
  u32 comm;
  u64 sent;
  std::atomic<u64> asked;  // 0: not yet; 1: before it was sent
};

struct alignas(64) Pair {
  static constexpr u64 kMessages = 64;
  std::atomic<u64> count;
  alignas(64) Message messages[kMessages];
};

// A message that this rank sends.
struct Sent {
  int to = -1;  // on this node
  u64 number = 0;
  int world = kNoPeer;

  // When the receiver asked for it; 0: unknown, when the call had ended, or before it was sent.
  u64 asked() const;
  // Whether the receiver has asked for it, also before it was sent.
  bool is_asked_for() const;

 private:
  u64 noted() const;
};
Sent add_message(const Group& known, int to, int tag, u64 now);

// A message that this rank receives, from its call on.
struct Awaited {
  const Group* known = nullptr;
  int from = -1;  // on this node; -1: another one, or any
  int source = 0;
  int tag = 0;
  u64 sent = 0;  // 0: it was not there
  bool is_pending = false;
  bool is_wild = false;
};
Awaited await_message(const Group& known, int source, int tag, u64 now);

// It has come. `status` is needed for wildcards alone.
struct Arrived {
  u64 sent = 0;  // 0: unknown
  int world = kNoPeer;
};
Arrived take_message(const Awaited& awaited, const MPI_Status* status);
// It will not come.
void give_up(const Awaited& awaited);
// The same as the first message of a status, which stays where it is.
Arrived look_at_message(const Group& known, int source, int tag);

// That each pair of ranks has in the node's memory.
constexpr u64 kPairBytes = sizeof(Pair);
void prepare_messages();

}  // namespace leadline::explain
