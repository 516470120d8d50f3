#include "harness/course.hpp"

#include <algorithm>
#include <cstddef>

namespace leadline::probe {
namespace {

// More than this share of late starts asks for a longer interval between agreed starts.
constexpr double kLateShare = 0.02;
// Where ranks are preempted, agreed starts are planned no further ahead than this: one that is
// missed makes those planned with it late.
constexpr double kPreemptedHorizon = 1e-3;
// No row of repetitions is longer.
constexpr std::uint32_t kLongestRow = 1U << 20U;

}  // namespace

void Repetition::merge(Repetition& mine, const Repetition& other) {
  mine.seconds = std::max(mine.seconds, other.seconds);
  mine.flags |= other.flags;
}

void Course::plan(double now, double global_now, Chunk& chunk) const {
  chunk.first += chunk.count;
  chunk.start = global_now + lead;
  if (repetitions_ > 0) {
    chunk.count = std::min(repetitions_ - chunk.first, kLongestRow);
    return;
  }
  chunk.count = next_chunk(limits_, taken_, now - begin, each, kChunkCapacity);
  if (preempted_ && start_agreed) {
    const double ahead = std::max(1.0, kPreemptedHorizon / chunk.interval);
    chunk.count = std::min(chunk.count, static_cast<std::uint32_t>(ahead));
  }
}

void Course::take(const std::vector<Repetition>& repetitions, Chunk& chunk, FlagCounts& flags) {
  std::size_t late = 0;
  taken_ += static_cast<std::uint32_t>(repetitions.size());
  preempted_ = false;
  for (const Repetition& repetition : repetitions) {
    if (repetition.flags & kLateStart) {
      ++late;
    } else {
      times_.add(repetition.seconds);
      ++in_time_;
    }
    preempted_ |= (repetition.flags & kPreempted) != 0;
    for (std::size_t bit = 0; bit < flags.size(); ++bit) {
      flags[bit] += (repetition.flags >> bit) & 1U;
    }
  }
  const bool too_tight =
      static_cast<double>(late) > kLateShare * static_cast<double>(repetitions.size());
  if (too_tight && !preempted_ && 2.0 * chunk.interval <= longest_interval) {
    chunk.interval *= 2.0;
    lead *= 2.0;
  }
}

void Course::begin_again(double now) {
  if (repetitions_ > 0) {
    repetitions_ += taken_;
  } else {
    taken_ = 0;
  }
  begin = now;
  start_agreed = false;
}

Verdict Course::judged(double now) const {
  if (repetitions_ == 0) return judge(limits_, times_, taken_, now - begin);
  return taken_ >= repetitions_ ? Verdict::kRepetitions : Verdict::kContinue;
}

}  // namespace leadline::probe
