#include "runtime/explain/observer/observer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>

#include "runtime/explain/observer/group.hpp"
#include "runtime/explain/observer/job_file.hpp"
#include "runtime/explain/observer/visits.hpp"

// When the library was loaded: in the half that is preloaded.
extern "C" timespec leadline_explain_start;
extern "C" unsigned long long leadline_explain_start_ticks;

namespace leadline::explain {

Observer observer;
constinit thread_local Thread thread;

namespace {

std::atomic_flag rows_guard;

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
    : entry_(entry),
      kind_(kind),
      id_(entry.function),
      site_(site_number(site)),
      tested_until_(thread.has_tested ? thread.tested_until : 0) {
  ++thread.depth;
  begun_ = ticks();
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
  const Word result = pass_on(entry_, words);
  ended_ = ticks();
  if (thread.is_owner) {
    Current& current = observer.block->current;
    std::atomic_ref(current.function).store(0, std::memory_order_release);
    current.since_ticks = ended_;
  }
  return result;
}

void Call::account(const Waited& waited, u64 gap) const {
  thread.has_tested = false;
  // A child of fork has nothing to write.
  if (!observer.active.load(std::memory_order_relaxed)) return;
  const u64 took = duration() + gap;
  const Guard guard(rows_guard);
  Block& block = *observer.block;
  u64 waiting = waited.ticks * waited.scale;
  const u32 size_class = static_cast<u32>(std::bit_width(bytes));
  const u32 ranks = comm != nullptr ? static_cast<u32>(comm->size) : 0;
  const u32 nodes = comm != nullptr ? static_cast<u32>(comm->nodes) : 0;
  if (Row* const row = find_row(id_, site_, size_class, ranks, nodes)) {
    ++row->calls;
    row->bytes += bytes;
    row->ticks += took;
    waiting = std::min(waiting, row->ticks - row->waiting_ticks);
    row->waiting_ticks += waiting;
    row->slowest_ticks = std::max(row->slowest_ticks, duration());
    row->late_sender_ticks += waited.late_sender;
    row->late_receiver_ticks += waited.late_receiver;
    if (waited.partial) row->flags |= kPartial;
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
      ++peer_row.waited_calls;
    }
  }
  if (++block.calls % 4096 == 0) block.seconds_per_tick = measure_tick();
  if (thread.is_owner && ended_ >= observer.write_at) write_job_file_in_between();
}

void Call::account_in_vain() const {
  const u64 between = begun_ - tested_until_;
  u64 gap = 0;
  if (tested_until_ != 0 && between < observer.gap) {
    gap = between;
    ++thread.short_gaps;
  } else if (tested_until_ != 0) {
    // After so many in a row something else had the core: an interrupt, or another process.
    constexpr u32 kRow = 64;
    constexpr u64 kMostTimes = 1000;
    if (thread.short_gaps >= kRow && between < kMostTimes * observer.gap) gap = between;
    thread.short_gaps = 0;
  }
  account({.ticks = duration() + gap}, gap);
  thread.has_tested = true;
  thread.tested_until = ended_;
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
