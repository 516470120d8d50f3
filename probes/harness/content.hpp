// Bytes that a receiver can predict: a stream of pseudo-random words for every seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leadline::probe {

// Scatters a seed over 64 bits (the finaliser of SplitMix64: Steele, Lea, Flood 2014).
constexpr std::uint64_t scatter(std::uint64_t seed) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Word `index` of the stream with this seed: Weyl's sequence, so that within a message every word
// differs from every other and filling is as fast as memory.
constexpr std::uint64_t content_word(std::uint64_t seed, std::uint64_t index) {
  return scatter(seed) + index * 0x9e3779b97f4a7c15ULL;
}

// Writes the first `bytes` bytes of the stream.
void fill_content(void* data, std::size_t bytes, std::uint64_t seed);

// How many of the bytes differ from the stream.
std::size_t wrong_content(const void* data, std::size_t bytes, std::uint64_t seed);

}  // namespace leadline::probe
