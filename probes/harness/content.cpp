#include "harness/content.hpp"

#include <cstring>

namespace leadline::probe {

void fill_content(void* data, std::size_t bytes, std::uint64_t seed) {
  auto* out = static_cast<unsigned char*>(data);
  const std::size_t words = bytes / 8;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = content_word(seed, i);
    std::memcpy(out + 8 * i, &word, 8);
  }
  const std::uint64_t last = content_word(seed, words);
  std::memcpy(out + 8 * words, &last, bytes % 8);
}

std::size_t wrong_content(const void* data, std::size_t bytes, std::uint64_t seed) {
  const auto* in = static_cast<const unsigned char*>(data);
  const std::size_t words = bytes / 8;
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word;
    std::memcpy(&word, in + 8 * i, 8);
    difference |= word ^ content_word(seed, i);
  }
  const std::uint64_t last = content_word(seed, words);
  if (difference == 0 && std::memcmp(in + 8 * words, &last, bytes % 8) == 0) return 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint64_t word = content_word(seed, i / 8);
    unsigned char expected[8];
    std::memcpy(expected, &word, 8);
    wrong += in[i] != expected[i % 8];
  }
  return wrong;
}

}  // namespace leadline::probe
