// Which of two ways carries out the calls of one collective, communicator and class of sizes,
// learnt from the program's own calls.
//
// All ranks count the same calls, so all try the same way in the same call. Times are compared in
// pairs of blocks, one of each way, in turn as ABBA: what drifts hits both. After each pair, ranks
// bring their evidence together by the greatest of each number, and all find the same.
//
// A call's time is that from the last arrival on. A way whose waiting ranks keep the others from
// arriving, since they share a core, would look fast. So the whole blocks are compared, too, and
// have a veto.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/learning/overhead_budget.hpp"
#include "runtime/learning/verdict.hpp"

namespace leadline::runtime {

// How long a call took, from the ranks' stamps.
enum class Stamps {
  kOneClock,       // from the last arrival to the last end: all ranks read one clock
  kLeastDuration,  // of the rank that came last, where all wait for all
  kMostDuration    // where not all do
};

class Trial {
 public:
  struct Start {
    std::size_t bytes = 0;
    Stamps stamps = Stamps::kOneClock;
    bool candidate = false;  // is in use from the beginning: a program found it to be faster here
    bool promising =
        false;  // was measured to be faster: the first pair is expected to lose nothing
    // Of an earlier decision, where there is one.
    double library_time = 0;
    double candidate_time = 0;
    double least_gain = 0;
  };
  explicit Trial(const Start& start);

  // Whether the candidate carries out the next call of a trial; else the library.
  bool tries_candidate() const;
  // Whether the candidate is what was chosen.
  bool takes_candidate() const { return candidate_; }

  // A call of a trial that began and ended so. Whether ranks must now agree.
  bool note(std::uint64_t begin, std::uint64_t end);

  // What the ranks agree about, by the greatest of each number: what this one has `left` to lose,
  // when it came `now`, and the stamps.
  std::span<double> evidence(double left, double now);
  // Of all ranks, once they agreed.
  double last_came() const { return evidence_[1]; }

  // Judges what all agreed about. Returns the calls until the next one that is a trial.
  std::int64_t conclude(OverheadBudget& budget);

  // Calls that were no trial.
  void pass(std::int64_t calls, OverheadBudget& budget) const;

  // Of the last decision; none before.
  bool decided() const { return decided_; }
  double library_time() const { return library_time_; }
  double candidate_time() const { return candidate_time_; }
  double least_gain() const { return least_gain_; }
  // Of a call that the candidate carries out: what it saved in the pair in which it gained least.
  double least_saving() const {
    return candidate_ ? std::max(0.0, (least_gain_ - 1) * candidate_time_) : 0;
  }

 private:
  static constexpr std::size_t kMostTimed = 31;
  static constexpr std::size_t kFixed = 4;  // numbers before the stamps of calls
  static constexpr std::size_t kNumbers = kFixed + 4 * kMostTimed;
  enum class Phase { kLook, kPairs };

  std::size_t block() const { return timed_ + 1; }
  // Median time of a call in one of the blocks of a trial.
  double time_of_block(std::size_t number) const;
  Verdict judge_pairs() const;
  void account(bool decided, OverheadBudget& budget);
  std::int64_t conclude_look();
  std::int64_t conclude_pair(OverheadBudget& budget);
  std::int64_t try_or_wait(double time, double excess);
  std::int64_t decide(bool exchange);
  std::int64_t rest(std::int64_t calls);

  const std::size_t timed_;  // calls of a block, after a first one that counts for nothing
  const Stamps stamps_;
  const bool promising_;
  bool candidate_;
  bool decided_;
  Phase phase_ = Phase::kLook;
  std::size_t calls_ = 0;  // of the trial
  std::array<double, kNumbers> evidence_{};

  std::size_t pairs_ = 0;
  std::array<double, kMostPairs> in_use_{};
  std::array<double, kMostPairs> other_{};
  std::array<double, kMostPairs> ratios_{};
  std::array<double, kMostPairs> blocks_{};  // the same of the blocks with all between their calls
  std::uint64_t block_began_ = 0;
  double lost_ = 0;  // by these pairs, as the budget knows
  double gained_ = 0;

  std::int64_t wait_;
  std::int64_t interval_;
  unsigned looks_ = 0;
  unsigned strange_ = 0;
  double library_time_;
  double candidate_time_;
  double least_gain_;
  double reference_;
};

}  // namespace leadline::runtime
