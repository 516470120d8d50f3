// The ranks of one node, who hand each other data in shared memory.
//
// Everything happens in numbered steps, which all ranks count alike. In a step, a rank may write
// its cell (small data) or a slot (more) and publish it; others wait for that and read. There are
// kBanks cells, taken in turn, and slots lie in a ring. So before step s is begun, everybody must
// have finished reading step s - kBanks: `finished_` is the last step of which this rank knows that
// all have. It learns that from waiting for all: who has published a step has finished the ones
// before, but for one if it publishes ahead. After steps in which not all wait for all, each rank
// says itself how far it is (`done`), and is asked only if the banks run out.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/node/kernels.hpp"
#include "algorithms/node/pace.hpp"
#include "algorithms/node/progress.hpp"
#include "algorithms/node/ring.hpp"
#include "algorithms/node/segment.hpp"
#include "algorithms/node/service.hpp"
#include "algorithms/node/single_copy.hpp"
#include "algorithms/node/survey.hpp"

namespace leadline::node {

// A cache line of data that carries its own step: it has arrived whole when the step has. One
// transfer between cores instead of two, flag and data.
struct alignas(64) Line {
  static constexpr std::size_t kBytes = 56;
  std::atomic<Step> step;
  std::byte data[kBytes];
};
static_assert(sizeof(Line) == 64 && std::atomic<Step>::is_always_lock_free);

struct Cell {
  static constexpr std::size_t kLines = 19;  // a little more than 1 KiB
  static constexpr std::size_t kBytes = kLines * Line::kBytes;
  Line lines[kLines];
};

// What one of two ranks hands the other while it is handed as much. They write in turn into the
// same places: who has read a line has it in its own cache, and writes its next data there. So a
// line travels once for each piece of data; a line of a slot must first be taken from its last
// reader.
struct Swap {
  static constexpr std::size_t kBytes = 4 << 10;
  Line ready;
  std::byte data[kBytes];
};

class Node {
 public:
  // Of each rank's part of the segment, which begins at a multiple of 128.
  static std::size_t bytes_per_rank(const Survey& survey) {
    return sizeof(Area) + survey.ring_bytes;
  }
  // So much of it must be there from the start. The rest of the ring is asked for when places in it
  // are.
  static std::size_t least_bytes_per_rank(const Survey& survey) {
    return sizeof(Area) + Ring::kLeastSlots * survey.slot_bytes;
  }
  // All ranks have the same survey, and their areas are zero before any of them goes on.
  Node(Segment segment, int rank, int size, const Survey& survey,
       std::unique_ptr<Progress> progress);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // How many of them this process has at present.
  static int alive();
  // The same on all nodes.
  std::size_t slot_bytes() const { return slot_bytes_; }

  // Waits until this rank may write in the next step, in a slot of so many bytes if any, which is
  // part of a message of so many bytes if any.
  Step begin(std::size_t bytes_of_slot = 0, std::size_t bytes_of_message = 0) {
    const Step step = ++step_;
    if (step > finished_ + kBanks) ask_who_is_done(step - kBanks);
    tell();
    if (bytes_of_slot > 0) {
      if (way_ == Way::kNewPlace && !whole_ring_ && ring_.goes_round(bytes_of_slot)) grow_ring();
      // At once, as others watch this line.
      area(rank_).published.places[step % kBanks] =
          ring_.place(step, bytes_of_slot, finished_, way_ == Way::kNewPlace) |
          most_said(bytes_of_message) << kOffsetBits;
    }
    return step;
  }
  // Begins a collective that takes no steps, as a step does: what this rank has sent by the library
  // is known to the others.
  void tell() { service_.begin(area(0).traffic); }
  // For a rank that only reads in the next step.
  Step join() { return ++step_; }
  // The step that this rank would begin or join.
  Step next() const { return step_ + 1; }
  // All ranks have been found to have finished `step`.
  void all_finished(Step step) {
    if (step > finished_) finished_ = step;
  }
  // This rank has finished the last step, in which not all wait for all.
  void done() { area(rank_).done.step.store(step_, std::memory_order_release); }

  // Of this rank after `begin`, of others after `wait_published`.
  std::byte* slot(int rank, Step step) const {
    Area& theirs = area(rank);
    return reinterpret_cast<std::byte*>(&theirs) + sizeof(Area) +
           (theirs.published.places[step % kBanks] & kOffset);
  }
  // Writes to this rank's slot, from `offset`, a multiple of a cache line.
  void write_slot(Step step, std::size_t offset, const void* data, std::size_t bytes) {
    std::byte* const to = slot(rank_, step) + offset;
    if (way_ == Way::kPastCaches) {
      stream_bytes(data, to, bytes);
    } else if (way_ == Way::kNewPlace) {
      copy_bytes_ahead(data, to, bytes);
    } else {
      copy_bytes(data, to, bytes);
    }
  }
  // What this rank has written to its slots is there for the others.
  void publish(Step step) { area(rank_).published.step.store(step, std::memory_order_release); }
  void wait_published(int rank, Step step) {
    wait([&] { return has_published(rank, step); });
  }

  // A step in which both of two ranks hand each other a Swap.
  Step begin_swap() {
    const Step step = begin();
    turns_ ^= 1U << step % kBanks;
    return step;
  }
  void give(Step step, const void* data, std::size_t bytes) {
    Swap& mine = swap(rank_, step);
    if (bytes <= Line::kBytes) {
      write_line(mine.ready, step, data, bytes);
    } else {
      copy_bytes(data, mine.data, bytes);
      mine.ready.step.store(step, std::memory_order_release);
    }
  }
  // What the other one has given, as many bytes.
  const std::byte* take(Step step, std::size_t bytes) {
    const Swap& theirs = swap(1 - rank_, step);
    wait_line(theirs.ready, step);
    return bytes <= Line::kBytes ? theirs.ready.data : theirs.data;
  }

  // What times the ways of handing data over while that is done: `paced.hpp`.
  class Exchange;
  class Movement;
  class Spread;
  // For what was once found to be best and can no longer be had.
  static Way past_caches_at_best(Way way) {
    return way == Way::kSingleCopy ? Way::kPastCaches : way;
  }
  // Before ranks write `bytes` to slots and others need not wait for one another.
  void choose_way(std::size_t bytes) { way_ = pace_.usual(bytes); }
  // Before this rank writes slots that one other rank reads: lines that have left the caches of
  // both are written and read the fastest.
  void use_new_places() { way_ = Way::kNewPlace; }

  // Whether ranks can read so much straight from one another's memory. The first time for much data
  // is collective.
  static constexpr std::size_t kMuch = std::size_t{1} << 15;
  bool copies_singly(std::size_t bytes) {
    if (bytes < kMuch) return false;
    if (!acquainted_) get_acquainted();
    return reads_others_;
  }
  // Of much data that come from `root`: the rank that this one reads them from, which is another
  // than the root where they are handed on within a domain of memory. After `copies_singly`.
  int source_of(int rank, int root) const {
    if (first_ranks_.empty()) return root;
    const int first = first_ranks_[static_cast<std::size_t>(rank)];
    return rank == first || first == first_ranks_[static_cast<std::size_t>(root)] ? root : first;
  }
  // Whether others read from this rank what it has from the root.
  bool hands_on(int rank, int root) const {
    return rank != root && !first_ranks_.empty() &&
           first_ranks_[static_cast<std::size_t>(rank)] == rank &&
           first_ranks_[static_cast<std::size_t>(root)] != rank;
  }
  bool has_domains() const { return !first_ranks_.empty(); }
  // In a step that was begun, or joined, by all: `data` may be read by others until `agree`. They
  // are a message of so many bytes, if any.
  void offer(Step step, const void* data, std::size_t bytes_of_message = 0) {
    area(rank_).published.offered_bytes[step % kBanks] =
        static_cast<std::uint32_t>(most_said(bytes_of_message));
    area(rank_).published.places[step % kBanks] = reinterpret_cast<std::uintptr_t>(data) | kOffered;
    publish(step);
  }
  // Whether another rank has published an offer rather than a slot.
  bool is_offered(int rank, Step step) const {
    return (area(rank).published.places[step % kBanks] & kOffered) != 0;
  }
  bool read_offer(int rank, Step step, std::size_t offset, void* to, std::size_t bytes) const {
    const std::uintptr_t data = area(rank).published.places[step % kBanks] & ~kOffered;
    return read_memory_of(area(rank).introduction.process, data + offset, to, bytes);
  }
  // In a step of its own: whether all ranks could read what they were offered. Where one could not,
  // no data will be offered again.
  bool agree(bool could_read);
  // Data that could not be offered go into slots.
  void use_slots() { way_ = past_caches_at_best(way_); }

  // A rank has two cells, the second one for what its group of ranks has got together.
  enum class Kind { kOwn, kGroup };
  // From this line on; what has been written to the others stays.
  void write_cell(Step step, const void* data, std::size_t bytes, Kind kind = Kind::kOwn,
                  std::size_t first_line = 0) {
    write_lines(cell(rank_, step, kind).lines + first_line, step, data, bytes);
  }
  // Data of one line at most, where they lie.
  const std::byte* read_line(int rank, Step step, Kind kind = Kind::kOwn) {
    const Line& line = cell(rank, step, kind).lines[0];
    wait_line(line, step);
    return line.data;
  }
  void read_cell(int rank, Step step, void* data, std::size_t bytes, Kind kind = Kind::kOwn,
                 std::size_t first_line = 0) {
    read_lines(cell(rank, step, kind).lines + first_line, step, data, bytes);
  }

  // What one rank hands all others, who learn from it how much that is: in its cell, or published.
  void write_message(Step step, const void* data, std::size_t bytes) {
    write_lines(cell(rank_, step, Kind::kOwn).lines, mark_of(step, bytes), data, bytes);
  }
  // Takes `room` bytes at most of another's message, which has just as many if it is as expected.
  // Returns how many it has, or kPublished.
  static constexpr std::size_t kPublished = SIZE_MAX;
  std::size_t read_message(int rank, Step step, void* data, std::size_t room) {
    const Line* const lines = cell(rank, step, Kind::kOwn).lines;
    const Step expected = mark_of(step, room);
    Step mark = 0;
    unsigned polls = 0;
    wait([&] {
      mark = lines->step.load(std::memory_order_acquire);
      return mark == expected || step_of(mark) == step ||
             (++polls % kSeldom == 0 && has_published(rank, step));
    });
    if (mark != expected) [[unlikely]] {
      // What has been published may be the message of a later step.
      mark = lines->step.load(std::memory_order_acquire);
      if (step_of(mark) != step) return kPublished;
    }
    read_lines(lines, mark, data, std::min(mark >> kStepBits, room));
    return mark >> kStepBits;
  }
  // Waits for another's message; whether it is published, as is expected.
  bool wait_message(int rank, Step step) {
    const std::atomic<Step>& mark = cell(rank, step, Kind::kOwn).lines[0].step;
    const auto is_marked = [&] { return step_of(mark.load(std::memory_order_acquire)) == step; };
    const std::atomic<Step>& published = area(rank).published.step;
    Step last = 0;
    unsigned polls = 0;
    wait([&] {
      last = published.load(std::memory_order_acquire);
      return last >= step || (++polls % kSeldom == 0 && is_marked());
    });
    return last == step || !is_marked();
  }
  // How many bytes one has that is published, of which this rank expects some.
  std::size_t size_of(int rank, Step step, std::size_t expected) const {
    const Published& theirs = area(rank).published;
    const std::uint64_t said = is_offered(rank, step) ? theirs.offered_bytes[step % kBanks]
                                                      : theirs.places[step % kBanks] >> kOffsetBits;
    return said == most_said(expected) ? expected : said;
  }

  // Ends a collective: what other ranks sent by the library before they came to it has been
  // received when it returns, as after the library's own. Returns the first error of the calls by
  // which this rank made progress.
  int finish() { return service_.finish(area(0).traffic); }
  // What a rank does that has polled so often in vain.
  void pass_time(int polls) { service_.pass_time(polls); }
  void make_progress() { service_.make_progress(); }
  // A waiting rank gives its core to others.
  bool yields_soon() const { return service_.yields_soon(); }

 private:
  // Two cache lines apart: processors fetch them in pairs.
  struct alignas(128) Published {
    std::atomic<Step> step;
    // By step: an offset in the ring and a message's bytes; or an address, with kOffered.
    std::uint64_t places[kBanks];
    std::uint32_t offered_bytes[kBanks];
  };
  // No address of a program has this bit.
  static constexpr std::uint64_t kOffered = std::uint64_t{1} << 63U;
  // Rings are shorter.
  static constexpr unsigned kOffsetBits = 32;
  static constexpr std::uint64_t kOffset = (std::uint64_t{1} << kOffsetBits) - 1;
  struct alignas(128) Done {
    std::atomic<Step> step;
  };
  struct Area {
    Published published;
    Done done;
    Service::Told traffic;  // the first rank's, for all
    Cell cells[2][kBanks];
    Swap swaps[kBanks];
    Introduction introduction;
    int domain;
    alignas(128) std::atomic<Way> said[kBanks];  // by the first rank, by step
  };

  Area& area(int rank) const { return *reinterpret_cast<Area*>(segment_.of(rank)); }
  std::atomic<Way>& said(Step step) const { return area(0).said[step % kBanks]; }
  Cell& cell(int rank, Step step, Kind kind) const {
    return area(rank).cells[static_cast<int>(kind)][step % kBanks];
  }
  Swap& swap(int rank, Step step) const {
    const unsigned turned = turns_ >> step % kBanks & 1U;
    return area(rank ^ static_cast<int>(turned)).swaps[step % kBanks];
  }
  static void write_line(Line& line, Step step, const void* data, std::size_t bytes) {
    // The most usual data need no call.
    if (bytes == 8) {
      std::memcpy(line.data, data, 8);
    } else if (bytes > 0) {
      std::memcpy(line.data, data, bytes);
    }
    line.step.store(step, std::memory_order_release);
  }
  bool has_published(int rank, Step step) const {
    return area(rank).published.step.load(std::memory_order_acquire) >= step;
  }
  // What is not expected is looked for once in so many polls.
  static constexpr unsigned kSeldom = 64;
  // A line of a message has the message's size above its step.
  static constexpr unsigned kStepBits = 48;
  static Step mark_of(Step step, std::size_t bytes) { return step | bytes << kStepBits; }
  static Step step_of(Step mark) { return mark & ((Step{1} << kStepBits) - 1); }
  static std::uint64_t most_said(std::size_t bytes) {
    return std::min<std::uint64_t>(bytes, INT32_MAX);
  }
  static void write_lines(Line* line, Step mark, const void* data, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    for (; bytes > Line::kBytes; bytes -= Line::kBytes, from += Line::kBytes, ++line) {
      std::memcpy(line->data, from, Line::kBytes);
      line->step.store(mark, std::memory_order_release);
    }
    write_line(*line, mark, from, bytes);
  }
  void read_lines(const Line* line, Step mark, void* data, std::size_t bytes) {
    auto* to = static_cast<std::byte*>(data);
    for (; bytes > Line::kBytes; bytes -= Line::kBytes, to += Line::kBytes, ++line) {
      wait_line(*line, mark);
      std::memcpy(to, line->data, Line::kBytes);
    }
    wait_line(*line, mark);
    if (bytes == 8) {
      std::memcpy(to, line->data, 8);
    } else if (bytes > 0) {
      std::memcpy(to, line->data, bytes);
    }
  }
  void wait_line(const Line& line, Step step) {
    wait([&] { return line.step.load(std::memory_order_acquire) == step; });
  }
  template <typename Arrived>
  void wait(const Arrived& arrived) {
    service_.wait(arrived);
  }
  void grow_ring();
  void ask_who_is_done(Step step);
  void get_acquainted();

  Segment segment_;
  int rank_;
  int size_;
  std::size_t slot_bytes_;
  // Not from zero: there is always a step so many before.
  Step step_ = kBanks;
  Step finished_ = kBanks;
  unsigned turns_ = 0;  // a bit for each bank
  std::size_t ring_bytes_;
  Ring ring_;
  bool whole_ring_ = false;  // or what there will ever be of it
  Pace pace_;
  Pace spread_pace_;
  Pace movement_pace_;
  std::array<std::optional<Pace::Choice>, Pace::kSizes> agreed_;
  bool acquainted_ = false;
  bool reads_others_ = false;
  std::vector<int> first_ranks_;  // by rank, where there are domains
  Way way_ = Way::kSamePlace;
  Service service_;
};

}  // namespace leadline::node
