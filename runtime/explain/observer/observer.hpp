// What this process has observed, and where it is written.
#pragma once

#include <sched.h>

#include <atomic>
#include <vector>

#include "runtime/explain/observer/format.hpp"
#include "runtime/explain/observer/kind.hpp"
#include "runtime/explain/preload/entry.hpp"
#include "runtime/shared/ticks.hpp"

namespace leadline::explain {

using runtime::ticks;

struct Ring;

struct Observer {
  std::atomic<bool> active{false};
  bool multiple = false;  // threads call at the same time
  Block* block = nullptr;
  Row* rows = nullptr;
  Site* sites = nullptr;
  Peer* peers = nullptr;
  Awaiting* awaiting = nullptr;
  Visit* visits = nullptr;
  u32 visit_room = 0;
  u64 block_bytes = 0;
  u32 peer_count = 0;
  int rank = 0;
  int ranks = 0;
  int here = 0;   // ranks on this node
  int index = 0;  // of this one among them
  int node = 0;
  std::vector<int> node_of;    // by rank in the job
  std::vector<int> index_of;   // on this node; -1: on another one
  Ring* rings = nullptr;       // kSlots of each rank of the node
  std::byte* pairs = nullptr;  // what the API keeps of here x here, by sender
  u64 gap = 0;                 // between two tests in a row, in ticks
  u64 write_at = ~u64{0};      // from when on a call that ends writes the job's file
};
extern Observer observer;

struct Thread {
  int depth = 0;
  bool is_owner = false;    // it has begun the observation
  bool has_tested = false;  // in vain, in its last call
  u64 tested_until = 0;
  u32 short_gaps = 0;  // between such tests, in a row
};
extern constinit thread_local Thread thread;

// Whether a call that begins is the program's own.
inline bool observing() {
  return thread.depth == 0 && observer.active.load(std::memory_order_relaxed);
}

// Held for a moment by one thread at a time, where there are several.
class Guard {
 public:
  explicit Guard(std::atomic_flag& flag) : flag_(observer.multiple ? &flag : nullptr) {
    if (flag_ == nullptr) return;
    while (flag_->test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Guard() {
    if (flag_ != nullptr) flag_->clear(std::memory_order_release);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  std::atomic_flag* flag_;
};

// Time that a call waited, and for whom.
struct Waited {
  u64 ticks = 0;
  int culprit = kNoPeer;  // rank in the job
  u64 late_sender = 0;
  u64 late_receiver = 0;
  bool partial = false;
  u64 scale = 1;  // calls for which it stands
};

struct Group;

// One call of the program's, from its entry to its end.
class Call {
 public:
  Call(const Entry& entry, Kind kind, const void* site);
  ~Call() { --thread.depth; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  u64 begun() const { return begun_; }
  u64 ended() const { return ended_; }
  u64 duration() const { return ended_ - begun_; }

  // What it is about, as far as that is known before it.
  u64 bytes = 0;
  const Group* comm = nullptr;
  u64 comm_call = 0;
  int peer = kNoPeer;
  int tag = 0;
  int root = kNoPeer;
  u32 awaited = 0;
  Shape shape = kByKind;  // of a collective, where it is known who waits for whom

  // Writes what the rank is doing.
  void show() const;
  // Does so, and hands the call on.
  Word run(const Word* words);
  // It was before it could be observed.
  void was(u64 begun, u64 ended) {
    begun_ = begun;
    ended_ = ended;
  }
  // Counts it.
  void account(const Waited& waited, u64 gap = 0) const;
  // Counts it as one that has asked in vain. Tests in a row, with nothing between them, are one
  // wait.
  void account_in_vain() const;

 private:
  const Entry& entry_;
  Kind kind_;
  u32 id_;
  u32 site_;
  u64 begun_;
  u64 ended_ = 0;
  u64 tested_until_;  // 0: the call before was no test in vain
};

// The number of the place to which a call returns, 0 where there is no room for more.
u32 site_number(const void* address);

// Seconds per tick from the program's start until now.
double measure_tick();

void count_message(int world, u64 bytes);
// How many a rank of this node has sent to this one.
u64 messages_sent(int index);
void lose(u64 Block::* what);

}  // namespace leadline::explain
