// Work for a processor: a chain of integer operations in registers, no memory, whose end is known
// without doing it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "harness/content.hpp"
#include "harness/world.hpp"

namespace leadline::probe {

// A linear congruential sequence: each step needs the one before, so no compiler and no processor
// can take a short cut, but `after` can (Brown: Random Number Generation with Arbitrary Strides,
// Trans. Am. Nucl. Soc. 71, 1994).
class Computation {
 public:
  void begin(std::uint64_t seed) {
    first_ = scatter(seed);
    state_ = first_;
    steps_ = 0;
  }
  void run(std::uint64_t steps) {
    std::uint64_t state = state_;
    for (std::uint64_t i = 0; i < steps; ++i) state = state * kFactor + kSummand;
    state_ = state;
    steps_ += steps;
  }
  std::uint64_t state() const { return state_; }
  // Of the state, if the work that was to be done since `begin` is not what was done.
  std::size_t wrong_bytes(std::uint64_t steps) const {
    return steps == steps_ && state_ == after(first_, steps) ? 0 : sizeof state_;
  }

  // Where `steps` steps lead, in log2(steps) of them.
  static std::uint64_t after(std::uint64_t state, std::uint64_t steps) {
    std::uint64_t factor = kFactor;
    std::uint64_t summand = kSummand;
    for (; steps > 0; steps >>= 1U) {
      if (steps & 1U) state = state * factor + summand;
      summand *= factor + 1;
      factor *= factor;
    }
    return state;
  }

 private:
  // Knuth: The Art of Computer Programming 2, section 3.3.4.
  static constexpr std::uint64_t kFactor = 6364136223846793005ULL;
  static constexpr std::uint64_t kSummand = 1442695040888963407ULL;

  std::uint64_t first_ = 0;
  std::uint64_t state_ = 0;
  std::uint64_t steps_ = 0;
};

// What one step takes on this rank, undisturbed.
inline double seconds_per_step(const World& world) {
  constexpr int kRounds = 8;
  constexpr std::uint64_t kSteps = 20000;
  Computation computation;
  computation.begin(1);
  double shortest = std::numeric_limits<double>::max();
  for (int round = 0; round < kRounds; ++round) {
    const double begin = world.now();
    computation.run(kSteps);
    shortest = std::min(shortest, world.now() - begin);
  }
  // Uses the result, so that there is one.
  return computation.wrong_bytes(kRounds * kSteps) == 0 ? shortest / kSteps : 1e-9;
}

}  // namespace leadline::probe
