// Two processes of a node hand data over to each other without any library: what the memory between
// their cores takes, the least that a message inside the node takes.
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "harness/shared_page.hpp"

namespace leadline::probe {
namespace {

// The cells of one direction: while one is filled, the other process empties those before it.
constexpr std::size_t kCells = 16;
constexpr std::size_t kPiece = std::size_t{8} << 10;
// A piece follows its number, so that small data come in the same cache line.
constexpr std::size_t kNumber = sizeof(std::uint64_t);
constexpr std::size_t kCell = kPiece + 64;
constexpr std::size_t kDirection = kCells * kCell;

class Handover {
 public:
  explicit Handover(const Point& point)
      : out_(point.buffer(point.bytes())),
        in_(point.buffer(point.bytes())),
        rank_(point.world().rank()),
        yields_(point.oversubscribed()),
        page_(point.world(), 2, 2 * kDirection) {
    if (point.world().node_size() != 2 || !page_.is_shared()) {
      throw Unavailable("the two processes share no memory");
    }
  }
  virtual ~Handover() = default;

  int peer() const { return 1 - rank_; }
  void call() {
    if (rank_ == 0) send();
    in_.step();
    receive();
    if (rank_ != 0) send();
  }
  // Each side's bytes differ, so that an answer which was never given cannot look right.
  void fill(std::uint64_t seed) {
    fill_content(out_.data(), out_.bytes(), 2 * seed + static_cast<std::uint64_t>(rank_));
    fill_content(in_.data(), in_.bytes(), ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    return wrong_content(in_.data(), in_.bytes(), 2 * seed + static_cast<std::uint64_t>(peer()));
  }

 protected:
  using Word = SharedPage::Word;

  virtual void give() = 0;
  virtual void take() = 0;

  void wait_for(const Word& word, std::uint64_t least) const {
    while (word.load(std::memory_order_acquire) < least) {
      if (yields_) std::this_thread::yield();
    }
  }
  // The cell of a piece that `giver` gives.
  Word& cell(int giver, std::uint64_t piece) {
    return *reinterpret_cast<Word*>(page_.data() + static_cast<std::size_t>(giver) * kDirection +
                                    piece % kCells * kCell);
  }
  static std::byte* content(Word& cell) { return reinterpret_cast<std::byte*>(&cell) + kNumber; }
  // How many pieces of `giver` have been taken.
  Word& taken(int giver) { return page_.word(static_cast<std::size_t>(giver)); }

  Buffer out_;
  Buffer in_;
  int rank_;
  std::uint64_t given_ = 0;
  std::uint64_t got_ = 0;

 private:
  void send() {
    give();
    out_.step();
  }
  void receive() { take(); }

  bool yields_;
  SharedPage page_;
};

class TwoCopies : public Handover {
 public:
  using Handover::Handover;

 private:
  void give() override {
    for (std::size_t at = 0; at < out_.bytes(); at += kPiece) {
      if (given_ - seen_taken_ >= kCells) {
        wait_for(taken(rank_), given_ - kCells + 1);
        seen_taken_ = taken(rank_).load(std::memory_order_acquire);
      }
      Word& to = cell(rank_, given_);
      std::memcpy(content(to), out_.data() + at, std::min(kPiece, out_.bytes() - at));
      to.store(++given_, std::memory_order_release);
    }
  }
  void take() override {
    for (std::size_t at = 0; at < in_.bytes(); at += kPiece) {
      Word& from = cell(peer(), got_);
      wait_for(from, got_ + 1);
      std::memcpy(in_.data() + at, content(from), std::min(kPiece, in_.bytes() - at));
      taken(peer()).store(++got_, std::memory_order_release);
    }
  }

  std::uint64_t seen_taken_ = 0;
};

// What a cell holds then is where the data are.
class OneCopy : public Handover {
 public:
  explicit OneCopy(const Point& point) : Handover(point) {
    const std::uint64_t own = static_cast<std::uint64_t>(getpid());
    process_ = static_cast<pid_t>(exchanged(point.world(), own));
    // Else some systems let a process be read by its parents alone.
    prctl(PR_SET_PTRACER, static_cast<unsigned long>(process_), 0, 0, 0);
    const std::uint64_t there = exchanged(point.world(), reinterpret_cast<std::uintptr_t>(&own));
    std::uint64_t found = 0;
    const bool reads = read(&found, reinterpret_cast<const void*>(there), sizeof found) &&
                       found == static_cast<std::uint64_t>(process_);
    // Neither ends while the other reads, and both answer alike.
    const bool other_reads = exchanged(point.world(), reads ? 1 : 0) == 1;
    if (!reads || !other_reads) throw Unavailable("copies=one: process_vm_readv is not allowed");
  }

 private:
  void give() override {
    Word& to = cell(rank_, given_);
    const std::byte* const data = out_.data();
    std::memcpy(content(to), &data, sizeof data);
    to.store(++given_, std::memory_order_release);
  }
  void take() override {
    Word& from = cell(peer(), got_);
    wait_for(from, ++got_);
    void* data = nullptr;
    std::memcpy(&data, content(from), sizeof data);
    read(in_.data(), data, in_.bytes());
  }
  bool read(void* to, const void* from, std::size_t bytes) const {
    const iovec here{to, bytes};
    const iovec there{const_cast<void*>(from), bytes};
    return process_vm_readv(process_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
  }
  // What the other process has in place of `own`.
  std::uint64_t exchanged(World& world, std::uint64_t own) const {
    std::uint64_t other = 0;
    if (rank_ == 0) world.send(&own, sizeof own, peer());
    world.receive(&other, sizeof other, peer());
    if (rank_ != 0) world.send(&own, sizeof own, peer());
    return other;
  }

  pid_t process_ = 0;
};

Operation prepare(const Point& point) {
  std::shared_ptr<Handover> handover;
  if (point.choice("copies") == "two") {
    handover = std::make_shared<TwoCopies>(point);
  } else {
    handover = std::make_shared<OneCopy>(point);
  }
  Operation operation = operation_of(point, handover);
  if (point.world().rank() != 0) operation.series = kNotTimed;
  operation.peer = handover->peer();
  operation.operations_per_call = 2;
  return operation;
}

const Registration registration{{
    .name = "node/handover",
    .title = "Copy between two cores",
    .summary = "time of data from one process of a node to another, without any library",
    .axes = {{.name = "bytes",
              .kind = AxisKind::kBytes,
              .summary = "what is handed over",
              .default_values = "8:4M:x2",
              .minimum = 1,
              .quick_values = "8,1M"},
             choice_axis("copies",
                         "two: into memory that both share and out of it, in pieces of 8 KiB; one: "
                         "the receiver reads the sender's memory (process_vm_readv)",
                         {"two", "one"})},
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"one-way",
                "half of a round trip, from before the first copy on rank 0 to after the last one "
                "of the answer there, which stops the clock"}},
    .prepare = prepare,
    .headlines = {{Headline::Of::kRate, "Copy between cores"}},
    .messages = false,
}};

}  // namespace
}  // namespace leadline::probe
