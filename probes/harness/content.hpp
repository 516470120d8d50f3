// Bytes that a receiver can predict: a stream of pseudo-random words for every seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leadline {

// Word `index` of the stream with this seed (SplitMix64: Steele, Lea, Flood 2014).
constexpr std::uint64_t content_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Writes the first `bytes` bytes of the stream.
void fill_content(void* data, std::size_t bytes, std::uint64_t seed);

// How many of the bytes differ from the stream.
std::size_t wrong_content(const void* data, std::size_t bytes, std::uint64_t seed);

}  // namespace leadline
