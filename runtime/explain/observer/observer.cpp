#include "runtime/explain/observer/observer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>

#include "runtime/explain/observer/cost.hpp"
#include "runtime/explain/observer/group.hpp"
#include "runtime/explain/observer/job_file.hpp"
#include "runtime/explain/observer/marks.hpp"
#include "runtime/explain/observer/visits.hpp"

// When the library was loaded: in the half that is preloaded.
extern "C" timespec leadline_explain_start;
extern "C" unsigned long long leadline_explain_start_ticks;

namespace leadline::explain {

Observer observer;
Polls polls;
constinit thread_local Thread thread;

namespace {

std::atomic_flag rows_guard;
u64 timed_calls = 0;

// Numbers of rows, by a hash of what they are about; 0 is none, and twice as many places as rows.
constexpr int kPlaceBits = 11;
constexpr u32 kPlaces = u32{1} << kPlaceBits;
static_assert(kPlaces >= 2 * kRows);
std::uint16_t places[kPlaces];

Row* find_row(u32 function, u32 site, u32 size_class, u32 ranks, u32 nodes) {
  u64 hash = function;
  hash = hash * 0x9E3779B97F4A7C15U + site;
  hash = hash * 0x9E3779B97F4A7C15U + size_class;
  hash = hash * 0x9E3779B97F4A7C15U + ranks;
  hash *= 0x9E3779B97F4A7C15U;
  for (u32 at = hash >> (64 - kPlaceBits);; at = (at + 1) % kPlaces) {
    if (places[at] == 0) {
      const u32 used = observer.block->rows_used;
      if (used == kRows) return nullptr;
      Row& row = observer.rows[used];
      row = {.function = function,
             .site = site,
             .size_class = size_class,
             .comm_ranks = ranks,
             .nodes = nodes};
      places[at] = static_cast<std::uint16_t>(used + 1);
      std::atomic_ref(observer.block->rows_used).store(used + 1, std::memory_order_release);
      return &row;
    }
    Row& row = observer.rows[places[at] - 1];
    if (row.function == function && row.site == site && row.size_class == size_class &&
        row.comm_ranks == ranks && row.nodes == nodes) {
      return &row;
    }
  }
}

// Until now, from any time.
double seconds_without_core() {
  timespec now;
  timespec ran;
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
  return static_cast<double>(now.tv_sec - ran.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - ran.tv_nsec);
}

void ask(u64 now) {
  polls.asked = true;
  polls.asked_ticks = now;
  polls.without_s = seconds_without_core();
}

// How much of a long gap something else had the core: after so many tests in a row all of it,
// unless it is so long that the program may have gone on meanwhile. Then the kernel knows.
u64 disturbance(u64 gap, u64 now) {
  constexpr u32 kRow = 64;
  constexpr u64 kMostTimes = 4000;
  if (thread.short_gaps < kRow) return 0;
  if (gap < kMostTimes * observer.gap) return gap;
  if (!thread.is_owner || !polls.asked) return 0;
  const double before_s = polls.without_s;
  ask(now);
  const double lost_ticks = (polls.without_s - before_s) / observer.block->seconds_per_tick;
  // One that computes loses its core for a part of the time.
  constexpr double kNearlyAll = 0.9;
  return lost_ticks >= kNearlyAll * static_cast<double>(gap) ? gap : 0;
}

// Gives the tests that were not timed, of which the last one has ended by `now`, their time.
void settle_untimed(u64 now) {
  const u64 number = polls.untimed;
  const u64 since = now > thread.tested_until ? now - thread.tested_until : 0;
  const u64 usual = number * polls.cycle_ticks;
  u64 took = since;
  if (since <= 2 * usual + observer.gap) {
    polls.cycle_ticks = since / number;
    polls.in_a_row += number;
    thread.short_gaps += static_cast<u32>(number);
  } else {
    took = usual + disturbance(since - usual, now);
    polls.in_a_row = 0;
    thread.short_gaps = 0;
  }
  thread.tested_until += took;
  polls.untimed = 0;
  weigh_untimed(number);
  // Of several places each has its part by how long a test took there.
  u64 weights = 0;
  for (const Poll& poll : polls.places) weights += poll.untimed * poll.test_ticks;
  const double each = static_cast<double>(took) / static_cast<double>(weights);
  for (Poll& poll : polls.places) {
    if (poll.untimed == 0) continue;
    const auto part = static_cast<u64>(each * static_cast<double>(poll.untimed * poll.test_ticks));
    poll.row->ticks += part;
    poll.row->waiting_ticks += part;
    poll.untimed = 0;
  }
  observer.block->mpi_ticks += took;
  observer.block->waiting_ticks += took;
}

}  // namespace

double measure_tick() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds = static_cast<double>(now.tv_sec - leadline_explain_start.tv_sec) +
                         1e-9 * static_cast<double>(now.tv_nsec - leadline_explain_start.tv_nsec);
  return seconds / static_cast<double>(ticks() - leadline_explain_start_ticks);
}

void lose(u64 Block::* what) { ++(observer.block->*what); }

Call::Call(const Entry& entry, Kind kind, const void* site)
    : entry_(entry), address_(site), kind_(kind), id_(entry.function), site_(site_number(site)) {
  ++thread.depth;
  begun_ = ticks();
  is_weighed_ = thread.is_owner && is_to_be_weighed();
  begin();
}

Call::Call(const Entry& entry, Kind kind, const void* site, Untimed)
    : entry_(entry), address_(site), kind_(kind), id_(entry.function), site_(site_number(site)) {
  ++thread.depth;
  ended_ = ticks();
  begun_ = std::max(ended_ - poll_of(site).test_ticks, thread.tested_until);
  begin();
}

void Call::begin() {
  thread.untimed_left = 0;
  if (thread.is_owner && polls.untimed != 0) settle_untimed(begun_);
  tested_until_ = thread.has_tested ? thread.tested_until : 0;
}

void Call::show() const {
  if (!thread.is_owner) return;
  Current& current = observer.block->current;
  current.site = site_;
  current.since_ticks = begun_;
  current.comm = comm != nullptr ? comm->number : kUnknownComm;
  current.comm_call = comm_call;
  current.peer = peer;
  current.tag = tag;
  current.root = root;
  current.awaited = awaited;
  current.bytes = bytes;
  std::atomic_ref(current.function).store(id_, std::memory_order_release);
}

Word Call::run(const Word* words) {
  show();
  if (is_weighed_) own_before_ = ticks() - begun_;
  const Word result = pass_on(entry_, words);
  ended_ = ticks();
  if (thread.is_owner) {
    Current& current = observer.block->current;
    std::atomic_ref(current.function).store(0, std::memory_order_release);
    current.since_ticks = ended_;
  }
  return result;
}

void Call::weigh_own_part() const {
  const u64 now = ticks();
  if (ended_ != 0 && now > ended_) weigh(own_before_ + now - ended_, now);
}

void Call::account(const Waited& waited) const {
  thread.has_tested = false;
  ++thread.others;
  count(waited, 0);
}

Row* Call::count(const Waited& waited, u64 gap) const {
  // A child of fork has nothing to write.
  if (!observer.active.load(std::memory_order_relaxed)) return nullptr;
  const u64 took = duration() + gap;
  const Guard guard(rows_guard);
  Block& block = *observer.block;
  u64 waiting = waited.ticks * waited.scale;
  const u32 size_class = static_cast<u32>(std::bit_width(bytes));
  const u32 ranks = comm != nullptr ? static_cast<u32>(comm->size) : 0;
  const u32 nodes = comm != nullptr ? static_cast<u32>(comm->nodes) : 0;
  Row* const row = find_row(id_, site_, size_class, ranks, nodes);
  if (row != nullptr) {
    ++row->calls;
    row->bytes += bytes;
    row->ticks += took;
    waiting = std::min(waiting, row->ticks - row->waiting_ticks);
    row->waiting_ticks += waiting;
    row->slowest_ticks = std::max(row->slowest_ticks, duration());
    row->late_sender_ticks += waited.late_sender * waited.scale;
    row->late_receiver_ticks += waited.late_receiver * waited.scale;
    if (waited.partial) row->flags |= kPartial;
    if (waited.scale > 1) {
      row->flags |= kEstimated;
      note_estimate(static_cast<u32>(row - observer.rows), waited.scale, waited.ticks);
    }
    if (shape != kByKind && comm->nodes > 1) {
      note_visit({.group = comm->number,
                  .call = comm_call,
                  .begun_ticks = begun_,
                  .ended_ticks = ended_,
                  .waited_ticks = waiting,
                  .row = static_cast<u32>(row - observer.rows),
                  .rank = comm->rank,
                  .root = root,
                  .shape = shape});
    }
  } else {
    waiting = std::min(waiting, took);
    ++block.lost_rows;
  }
  if (thread.is_owner) {
    block.mpi_ticks += took;
    block.waiting_ticks += waiting;
    if (kind_ == kFile) block.io_ticks += took;
  } else {
    block.other_threads_ticks += took;
  }
  if (waiting != 0 && waited.culprit >= 0) {
    if (static_cast<u32>(waited.culprit) < observer.peer_count) {
      Peer& peer_row = observer.peers[waited.culprit];
      peer_row.waited_ticks += waiting;
      peer_row.waited_calls += waited.scale;
    }
  }
  ++block.calls;
  if (++timed_calls % 4096 == 0) block.seconds_per_tick = measure_tick();
  if (thread.is_owner && ended_ >= observer.mark_at) {
    note_marks({.ended = ended_, .took = took, .waiting = waiting});
  }
  if (thread.is_owner && ended_ >= observer.write_at) write_job_file_in_between();
  return row;
}

void Call::account_in_vain(bool is_short, u64 of) const {
  // To ask the kernel takes as long as a gap.
  constexpr u64 kFirstAsked = 200;
  constexpr u64 kOften = 2000;
  const u64 between = begun_ - tested_until_;
  u64 gap = 0;
  if (tested_until_ != 0 && between < observer.gap) {
    gap = between;
    ++thread.short_gaps;
  } else if (tested_until_ != 0) {
    gap = disturbance(between, begun_);
    thread.short_gaps = 0;
  }
  Row* const row = count({.ticks = duration() + gap}, gap);
  thread.has_tested = true;
  thread.tested_until = ended_;
  if (row == nullptr || !thread.is_owner || observer.multiple) return;
  const bool goes_on = tested_until_ != 0 && between < observer.gap;
  if (tested_until_ == 0) std::fill(std::begin(polls.places), std::end(polls.places), Poll{});
  polls.in_a_row = goes_on ? polls.in_a_row + 1 : 0;
  if (tested_until_ == 0) {
    polls.asked = false;
    polls.asked_ticks = begun_;
  } else if (ended_ - polls.asked_ticks > (polls.asked ? kOften : kFirstAsked) * observer.gap) {
    ask(ended_);
  }
  if (polls.in_a_row <= 1) polls.cycle_ticks = duration() + gap;
  if (is_short) let_go_untimed(row, of);
}

void Call::let_go_untimed(Row* row, u64 of) const {
  // How long the last ones took may never be known: they are a small part of the row, and short.
  constexpr u64 kFirst = 16;
  constexpr u64 kPart = 8;
  constexpr u64 kMost = 256;
  constexpr u64 kGaps = 16;
  if (polls.in_a_row < kFirst) return;
  poll_of(address_) = {.entry = &entry_,
                       .site = address_,
                       .of = of,
                       .row = row,
                       .test_ticks = std::max(duration(), u64{1})};
  const u64 in_time = kGaps * observer.gap / std::max(polls.cycle_ticks, u64{1});
  thread.untimed_left = static_cast<u32>(std::min({polls.in_a_row / kPart, kMost, in_time}));
}

u64 messages_sent(int index) {
  const auto stride = static_cast<std::ptrdiff_t>(observer.block_bytes);
  auto* const block = reinterpret_cast<std::byte*>(observer.block) +
                      (std::ptrdiff_t{index} - observer.index) * stride;
  Peer& peer = reinterpret_cast<Peer*>(block + kPeersOffset)[observer.rank];
  return std::atomic_ref(peer.messages).load(std::memory_order_relaxed);
}

void count_message(int world, u64 bytes) {
  if (world < 0) return;
  if (static_cast<u32>(world) >= observer.peer_count) return lose(&Block::lost_stamps);
  Peer& peer = observer.peers[world];
  const Guard guard(rows_guard);
  ++peer.messages;
  peer.bytes += bytes;
}

}  // namespace leadline::explain
