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
  Mark* marks = nullptr;
  Region* regions = nullptr;
  Threads* threads = nullptr;
  Cost* cost = nullptr;
  double* variances = nullptr;  // of the rows
  u32 visit_room = 0;
  u64 block_bytes = 0;
  u32 peer_count = 0;
  int rank = 0;
  int ranks = 0;
  int here = 0;   // ranks on this node
  int index = 0;  // of this one among them
  int node = 0;
  // By rank in the job, and on this node, where -1 is on another one. What is static must outlive
  // the objects of a program, which may call the library when they are destroyed.
  std::vector<int>& node_of = *new std::vector<int>;
  std::vector<int>& index_of = *new std::vector<int>;
  Ring* rings = nullptr;       // kSlots of each rank of the node
  std::byte* pairs = nullptr;  // what the API keeps of here x here, by sender
  u64 gap = 0;                 // between two tests in a row, in ticks
  u64 mark_at = ~u64{0};       // from when on a call that ends has to note a mark
  u64 write_at = ~u64{0};      // or to write the job's file
};
extern Observer observer;

struct Thread {
  int depth = 0;
  bool is_owner = false;    // it has begun the observation
  bool has_tested = false;  // in vain, in its last call
  u32 untimed_left = 0;     // tests that may go untimed
  u64 tested_until = 0;
  u32 short_gaps = 0;  // between such tests, in a row
  u32 others = 0;      // calls that were no such tests
};
extern constinit thread_local Thread thread;

// Tests in vain from one place of the program's. To look at the clock takes as long as such a test:
// of many in a row all are counted and few are timed, and the others have the time between these.
struct Poll {
  const Entry* entry = nullptr;
  const void* site = nullptr;
  u64 of = 0;  // what else tells rows apart
  Row* row = nullptr;
  u64 test_ticks = 0;  // of the last one that was timed
  u64 untimed = 0;     // since the last one of any place that was
};

// Of the thread that began the observation, where no others call at the same time.
struct Polls {
  static constexpr int kPlaceBits = 4;
  Poll places[1U << kPlaceBits];
  u64 untimed = 0;      // of all places
  u64 in_a_row = 0;     // tests, timed or not
  u64 cycle_ticks = 0;  // from one to the next
  bool asked = false;   // how long this thread was without a core
  u64 asked_ticks = 0;  // when; before the first time, when the row began
  double without_s = 0;
};
extern Polls polls;

inline Poll& poll_of(const void* site) {
  const u64 hash = reinterpret_cast<std::uintptr_t>(site) * 0x9E3779B97F4A7C15U;
  return polls.places[hash >> (64 - Polls::kPlaceBits)];
}

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

struct Untimed {};

// One call of the program's, from its entry to its end.
class Call {
 public:
  Call(const Entry& entry, Kind kind, const void* site);
  // A test that went untimed, and has found something.
  Call(const Entry& entry, Kind kind, const void* site, Untimed untimed);
  ~Call() {
    --thread.depth;
    if (is_weighed_) weigh_own_part();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  u64 begun() const { return begun_; }
  u64 ended() const { return ended_; }
  u64 duration() const { return ended_ - begun_; }
  u32 site() const { return site_; }

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
  void account(const Waited& waited) const;
  // Counts it as one that has asked in vain. Tests in a row, with nothing between them, are one
  // wait. Where it is `short`, those that follow from the same place, and `of` the same, may go
  // untimed.
  void account_in_vain(bool is_short = false, u64 of = 0) const;

 private:
  // Returns the row in which it is counted; nullptr where there was no room.
  Row* count(const Waited& waited, u64 gap) const;
  void begin();
  void weigh_own_part() const;
  void let_go_untimed(Row* row, u64 of) const;

  const Entry& entry_;
  const void* address_;
  Kind kind_;
  u32 id_;
  u32 site_;
  u64 begun_;
  u64 ended_ = 0;
  u64 tested_until_;  // 0: the call before was no test in vain
  u64 own_before_ = 0;
  bool is_weighed_ = false;
};

// Where a test from there that is in vain is only counted; nullptr where it is to be timed.
inline Poll* untimed_poll(const Entry& entry, const void* site, u64 of = 0) {
  if (thread.untimed_left == 0 || !observing()) return nullptr;
  Poll& poll = poll_of(site);
  return poll.entry == &entry && poll.site == site && poll.of == of ? &poll : nullptr;
}
// Hands such a test on.
inline Word pass_untimed(const Entry& entry, const Word* words) {
  // What else is shown is that of the test before.
  std::atomic_ref function(observer.block->current.function);
  ++thread.depth;
  function.store(entry.function, std::memory_order_relaxed);
  const Word result = pass_on(entry, words);
  function.store(0, std::memory_order_relaxed);
  --thread.depth;
  return result;
}
// It was in vain.
inline void count_untimed(Poll& poll) {
  --thread.untimed_left;
  ++poll.untimed;
  ++polls.untimed;
  ++poll.row->calls;
  ++observer.block->calls;
}

// The number of the place to which a call returns, 0 where there is no room for more.
u32 site_number(const void* address);

// Seconds per tick from the program's start until now.
double measure_tick();

void count_message(int world, u64 bytes);
// How many a rank of this node has sent to this one.
u64 messages_sent(int index);
void lose(u64 Block::* what);

}  // namespace leadline::explain
