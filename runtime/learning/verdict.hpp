// Which of two ways to carry out a collective is faster, from pairs of times.
#pragma once

#include <cstddef>
#include <span>

namespace leadline::runtime {

// Pairs at most; then what is in use stays.
constexpr std::size_t kMostPairs = 32;

// Less is not worth an exchange.
constexpr double kLeastGain = 1.03;

enum class Verdict {
  kOpen,     // more pairs are needed
  kKeep,     // the way in use is the faster one for sure, by much, or none is after all pairs
  kExchange  // the other one is the faster one for sure
};

// `ratios`: of each pair, the other way's time over that of the way in use. By the order statistics
// that bound the median: no logarithm, so that all ranks find the same of the same numbers. Two
// slow pairs are enough against a way that is `known`. One that was never in use here touches its
// memory for the first time in them, and must be far slower.
Verdict judge(std::span<const double> ratios, bool known);

// Of no order; 0 where there is none.
double median(std::span<const double> values);

}  // namespace leadline::runtime
