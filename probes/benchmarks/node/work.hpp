// A fixed amount of arithmetic whose result is known beforehand.
#pragma once

#include <cstdint>

namespace leadline::probe {

// Steps of a linear congruential sequence modulo 2^64 (multiplier and increment of Knuth's MMIX).
// Each needs the result of the one before, so that they take as long as the core is fast.
inline constexpr std::uint64_t kMultiplier = 6364136223846793005ULL;
inline constexpr std::uint64_t kIncrement = 1442695040888963407ULL;

inline std::uint64_t work(std::uint64_t value, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) value = value * kMultiplier + kIncrement;
  return value;
}

// The same in log2(steps) steps: twice x -> a x + b is x -> a a x + (a + 1) b.
constexpr std::uint64_t work_result(std::uint64_t value, std::uint64_t steps) {
  std::uint64_t a = kMultiplier;
  std::uint64_t b = kIncrement;
  for (; steps > 0; steps >>= 1) {
    if (steps & 1) value = a * value + b;
    b *= a + 1;
    a *= a;
  }
  return value;
}

}  // namespace leadline::probe
