// Delays at the start of calls.
#pragma once

#include <cstdint>

namespace leadline::replay {

// Independent of each other.
struct Noise {
  double probability = 0.0;
  double delay_s = 0.0;
  std::uint64_t seed = 0;
};

// Uniform in [0, 1), the same for the same four numbers (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014: the mixing function of SplitMix64).
inline double uniform(std::uint64_t seed, std::uint64_t rank, std::uint64_t call) {
  const auto mixed = [](std::uint64_t word) {
    word += 0x9e3779b97f4a7c15U;
    word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
    return word ^ (word >> 31U);
  };
  return static_cast<double>(mixed(mixed(mixed(seed) ^ rank) ^ call) >> 11U) * 0x1p-53;
}

inline double delay_of(const Noise& noise, std::uint64_t rank, std::uint64_t call) {
  const bool late = noise.probability > 0 && uniform(noise.seed, rank, call) < noise.probability;
  return late ? noise.delay_s : 0.0;
}

}  // namespace leadline::replay
