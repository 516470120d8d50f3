#include "runtime/learning/trial.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace leadline::runtime {
namespace {

// Of large data, one call says as much as many of small ones, and costs as much. What lies between
// is timed until a block no longer lives on what the other way has left in the caches.
std::size_t timed_calls(std::size_t bytes) {
  if (bytes < std::size_t{8} << 10) return 7;
  if (bytes < std::size_t{64} << 10) return 31;
  return bytes < std::size_t{1} << 20 ? 3 : 1;
}

// Calls between a trial that costs too much and the next attempt, doubled each time.
constexpr std::int64_t kFirstWait = 16;
// Calls between looks at what is in use, doubled up to the most.
constexpr std::int64_t kFirstInterval = 512;
constexpr std::int64_t kMostInterval = 16384;
// Until the next look where the last one was strange.
constexpr std::int64_t kSoon = 64;
// The machine has changed where two looks in a row are off by as much.
constexpr double kChanged = 2;
constexpr unsigned kStrangeLooks = 2;
// What a way that was never tried is taken to lose, of what the other one takes. More is seldom,
// and known after more than so many pairs: in one of them, a process may have lost its core.
constexpr double kUnknownExcess = 0.25;
constexpr std::size_t kDoubtful = 2;

}  // namespace

Trial::Trial(const Start& start)
    : timed_(timed_calls(start.bytes)),
      stamps_(start.stamps),
      promising_(start.promising),
      candidate_(start.candidate),
      decided_(start.library_time > 0 && start.candidate_time > 0),
      wait_(kFirstWait),
      interval_(kFirstInterval),
      library_time_(start.library_time),
      candidate_time_(start.candidate_time),
      least_gain_(start.least_gain),
      reference_(start.candidate ? start.candidate_time : start.library_time) {}

bool Trial::tries_candidate() const {
  if (phase_ == Phase::kLook) return candidate_;
  const bool second = calls_ >= block();
  const bool other = second != (pairs_ % 2 == 1);
  return candidate_ != other;
}

bool Trial::note(std::uint64_t begin, std::uint64_t end) {
  const std::size_t in_block = calls_ % block();
  if (in_block > 0) {
    if (in_block == 1) block_began_ = begin;
    evidence_[2 + calls_ / block()] = static_cast<double>(end - block_began_);
    double* const at = &evidence_[kFixed + 2 * (calls_ / block() * timed_ + in_block - 1)];
    const auto came = static_cast<double>(begin);
    const auto gone = static_cast<double>(end);
    at[0] = stamps_ == Stamps::kOneClock ? came : came - gone;
    at[1] = stamps_ == Stamps::kOneClock ? gone : gone - came;
  }
  return ++calls_ == block() * (phase_ == Phase::kPairs ? 2 : 1);
}

std::span<double> Trial::evidence(double left, double now) {
  evidence_[0] = -left;
  evidence_[1] = now;
  return {evidence_.data(), kFixed + 2 * timed_ * (phase_ == Phase::kPairs ? 2 : 1)};
}

double Trial::time_of_block(std::size_t number) const {
  std::array<double, kMostTimed> times{};
  for (std::size_t i = 0; i < timed_; ++i) {
    const double* const at = &evidence_[kFixed + 2 * (number * timed_ + i)];
    const double time = stamps_ == Stamps::kOneClock        ? at[1] - at[0]
                        : stamps_ == Stamps::kLeastDuration ? -at[0]
                                                            : at[1];
    times[i] = std::max(time, 1.0);
  }
  return median({times.data(), timed_});
}

std::int64_t Trial::conclude(OverheadBudget& budget) {
  calls_ = 0;
  return phase_ == Phase::kLook ? conclude_look() : conclude_pair(budget);
}

std::int64_t Trial::conclude_look() {
  const double time = time_of_block(0);
  const double known =
      candidate_time_ > 0 && library_time_ > 0
          ? std::max(candidate_time_, library_time_) / std::min(candidate_time_, library_time_) - 1
      : promising_ && pairs_ == 0 ? 0
                                  : kUnknownExcess;
  if (decided_ && pairs_ == 0) {
    const bool strange = time > kChanged * reference_ || time * kChanged < reference_;
    strange_ = strange ? strange_ + 1 : 0;
    ++looks_;
    if (strange && strange_ < kStrangeLooks) return kSoon;
    if (strange_ < kStrangeLooks && !std::has_single_bit(looks_)) return rest(interval_);
  }
  return try_or_wait(time, strange_ > 0 ? kUnknownExcess : known);
}

// `excess` times `time` is what a call of the other way is expected to lose. What loses nothing
// needs nothing to be left.
std::int64_t Trial::try_or_wait(double time, double excess) {
  const double left = -evidence_[0];
  if (excess <= 0 || static_cast<double>(block()) * time * excess <= left) {
    phase_ = Phase::kPairs;
    return 0;
  }
  phase_ = Phase::kLook;
  const std::int64_t wait = wait_;
  wait_ = std::min(2 * wait_, kMostInterval);
  return wait;
}

std::int64_t Trial::conclude_pair(OverheadBudget& budget) {
  const bool other_first = pairs_ % 2 == 1;
  const double in_use = time_of_block(other_first ? 1 : 0);
  const double other = time_of_block(other_first ? 0 : 1);
  in_use_[pairs_] = in_use;
  other_[pairs_] = other;
  ratios_[pairs_] = other / in_use;
  blocks_[pairs_] =
      std::max(evidence_[other_first ? 2 : 3], 1.0) / std::max(evidence_[other_first ? 3 : 2], 1.0);
  ++pairs_;
  const Verdict verdict = judge_pairs();
  account(verdict != Verdict::kOpen, budget);
  if (verdict == Verdict::kOpen) {
    const double excess = median({ratios_.data(), pairs_}) - 1;
    return try_or_wait(in_use, pairs_ <= kDoubtful ? std::min(excess, kUnknownExcess) : excess);
  }
  return decide(verdict == Verdict::kExchange);
}

// What the pairs lost or gained, by the median: a process that lost its core in one of them says
// nothing of the other way.
void Trial::account(bool decided, OverheadBudget& budget) {
  std::array<double, kMostPairs> more{};
  for (std::size_t i = 0; i < pairs_; ++i) more[i] = other_[i] - in_use_[i];
  double usual = median({more.data(), pairs_});
  if (pairs_ <= kDoubtful && !decided) usual = std::min(usual, kUnknownExcess * in_use_[0]);
  const double all = usual * static_cast<double>(pairs_ * block());
  // Where the candidate is in use, the library is what would have been without leadline.
  const double gained = candidate_ ? 0 : std::max(-all, 0.0);
  const double lost = std::max(all, 0.0);
  budget.lose(lost - std::exchange(lost_, lost));
  budget.gain(gained - std::exchange(gained_, gained));
}

Verdict Trial::judge_pairs() const {
  const Verdict calls = judge({ratios_.data(), pairs_}, decided_);
  const Verdict blocks = judge({blocks_.data(), pairs_}, decided_);
  if (candidate_ && blocks == Verdict::kExchange) return blocks;
  const bool slows_others = median({blocks_.data(), pairs_}) * kLeastGain < 1;
  if (candidate_ && blocks == Verdict::kOpen && slows_others) return blocks;
  const bool worse = blocks == Verdict::kKeep && median({blocks_.data(), pairs_}) > 1;
  return calls == Verdict::kExchange && worse ? Verdict::kKeep : calls;
}

std::int64_t Trial::decide(bool exchange) {
  const double in_use = median({in_use_.data(), pairs_});
  const double other = median({other_.data(), pairs_});
  library_time_ = candidate_ ? other : in_use;
  candidate_time_ = candidate_ ? in_use : other;
  const auto [least, most] = std::minmax_element(ratios_.begin(), ratios_.begin() + pairs_);
  least_gain_ = candidate_ ? *least : 1 / *most;
  reference_ = exchange ? other : in_use;
  if (exchange || strange_ > 0) {
    looks_ = 0;
    interval_ = kFirstInterval;
  }
  if (exchange) candidate_ = !candidate_;
  decided_ = true;
  strange_ = 0;
  pairs_ = 0;
  lost_ = gained_ = 0;
  wait_ = kFirstWait;
  return rest(interval_);
}

std::int64_t Trial::rest(std::int64_t calls) {
  phase_ = Phase::kLook;
  interval_ = std::min(2 * interval_, kMostInterval);
  return calls;
}

void Trial::pass(std::int64_t calls, OverheadBudget& budget) const {
  if (!decided_ || !candidate_) return;
  const double gain = static_cast<double>(calls) * (library_time_ - candidate_time_);
  budget.gain(std::max(gain, 0.0));
  budget.lose(std::max(-gain, 0.0));
}

}  // namespace leadline::runtime
