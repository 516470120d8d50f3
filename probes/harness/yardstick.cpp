#include "harness/yardstick.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "harness/coordinate.hpp"

namespace leadline::probe {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// Another yardstick is due after so long, where all of them took no more than this share.
constexpr double kPeriod = 60e-3;
constexpr double kShare = 0.02;
// The least of a few blocks: a preemption spoils one of them.
constexpr int kBlocks = 5;
constexpr std::uint64_t kRoundTrips = 64;
// A rank that waits longer for its neighbour's line gives up: one of them has lost its core.
constexpr double kPatience = 2e-3;
constexpr int kLooks = 256;  // between two readings of the clock
constexpr std::size_t kCopied = std::size_t{1} << 20U;
constexpr int kCopies = 2;
constexpr int kSteps = 20'000;

// Sums over ranks, of those that know a value.
struct Sums {
  double logarithms[3] = {};
  double counts[3] = {};

  static void add(Sums& mine, const Sums& other) {
    for (std::size_t i = 0; i < 3; ++i) {
      mine.logarithms[i] += other.logarithms[i];
      mine.counts[i] += other.counts[i];
    }
  }
  double mean(std::size_t i) const {
    return counts[i] > 0 ? std::exp(logarithms[i] / counts[i]) : kUnknown;
  }
};

}  // namespace

Yardsticks::Yardsticks(World& world, std::uint64_t seed) : world_(world), seed_(seed) {
  if (!world_.slowness(seed_)) {
    from_.assign(kCopied, std::byte{1});
    to_.assign(kCopied, std::byte{2});
    if (world_.node_size() > 1) {
      page_ = std::make_unique<SharedPage>(world_, static_cast<std::size_t>(world_.node_size()));
    }
  }
  begin_ = last_ = world_.now();
}

Yardsticks::~Yardsticks() = default;

bool Yardsticks::due() {
  bool due = false;
  if (world_.rank() == 0) {
    const double now = world_.now();
    due = now - last_ >= kPeriod && spent_ <= kShare * (now - begin_);
  }
  broadcast(world_, due);
  return due;
}

Reading Yardsticks::measure() {
  barrier(world_);
  const double begin = world_.now();
  double own[3] = {kUnknown, kUnknown, kUnknown};
  if (const std::optional<double> slowness = world_.slowness(seed_)) {
    own[0] = 100e-9 * *slowness;
    own[1] = 10e9;
    own[2] = 25e-6;
  } else {
    own[0] = round_trip();
    own[1] = copy_rate();
    own[2] = work();
  }
  Sums sums;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(own[i] > 0)) continue;
    sums.logarithms[i] = std::log(own[i]);
    sums.counts[i] = 1;
  }
  reduce(world_, std::span<Sums>(&sums, 1), &Sums::add);
  last_ = world_.now();
  spent_ += last_ - begin;
  return {sums.mean(0), sums.mean(1), sums.mean(2), last_ - begin};
}

// Each rank with the next one of its node: first those with an even index begin, then the others.
// Of the rank that began, and not of its partner.
double Yardsticks::round_trip() {
  if (!page_ || !page_->is_shared()) return kUnknown;
  double found = kUnknown;
  for (int phase = 0; phase < std::min(2, world_.node_size() - 1); ++phase) {
    const int index = world_.node_rank();
    const bool first = index % 2 == phase;
    const int line = first ? index : index - 1;
    if (line < 0 || line + 1 >= world_.node_size()) continue;
    const double seconds = bounce(static_cast<std::size_t>(line), first);
    if (first) found = seconds;
  }
  turn_ += 2 * kRoundTrips * kBlocks;
  return found;
}

// Both write the line in turn. Who gives up leaves the line as it is: numbers of turns only grow,
// so that the next measurement takes nothing old for an answer.
double Yardsticks::bounce(std::size_t line, bool first) {
  SharedPage::Word& word = page_->word(line);
  double least = kUnknown;
  std::uint64_t turn = turn_;
  for (int block = 0; block < kBlocks; ++block) {
    const double begin = world_.now();
    for (std::uint64_t i = 0; i < kRoundTrips; ++i, turn += 2) {
      if (first) word.store(turn + 1, std::memory_order_release);
      const std::uint64_t awaited = first ? turn + 2 : turn + 1;
      for (int looks = 1; word.load(std::memory_order_acquire) < awaited; ++looks) {
        if (looks % kLooks == 0 && world_.now() - begin > kPatience) return least;
      }
      if (!first) word.store(turn + 2, std::memory_order_release);
    }
    const double each = (world_.now() - begin) / static_cast<double>(kRoundTrips);
    if (!(each >= least)) least = each;
  }
  return least;
}

double Yardsticks::copy_rate() {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < kCopies; ++i) {
    const double begin = world_.now();
    std::memcpy(to_.data(), from_.data(), kCopied);
    // Else a copy that nobody reads is none.
    asm volatile("" ::"r"(to_.data()) : "memory");
    least = std::min(least, world_.now() - begin);
  }
  return static_cast<double>(kCopied) / least;
}

double Yardsticks::work() const {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < kBlocks; ++i) {
    std::uint64_t value = 1;
    const double begin = world_.now();
    for (int step = 0; step < kSteps / kBlocks; ++step) {
      value = value * 6364136223846793005ULL + 1442695040888963407ULL;
      // Else a compiler takes several steps at once.
      asm volatile("" : "+r"(value));
    }
    least = std::min(least, world_.now() - begin);
  }
  return least;
}

}  // namespace leadline::probe
