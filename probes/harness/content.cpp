#include "harness/content.hpp"

#include <algorithm>
#include <cstring>

namespace leadline {

void fill_content(void* data, std::size_t bytes, std::uint64_t seed) {
  auto* out = static_cast<unsigned char*>(data);
  for (std::size_t done = 0; done < bytes; done += 8) {
    const std::uint64_t word = content_word(seed, done / 8);
    std::memcpy(out + done, &word, std::min<std::size_t>(8, bytes - done));
  }
}

std::size_t wrong_content(const void* data, std::size_t bytes, std::uint64_t seed) {
  const auto* in = static_cast<const unsigned char*>(data);
  std::size_t wrong = 0;
  for (std::size_t done = 0; done < bytes; done += 8) {
    const std::uint64_t word = content_word(seed, done / 8);
    const std::size_t part = std::min<std::size_t>(8, bytes - done);
    if (std::memcmp(in + done, &word, part) == 0) continue;
    const auto* expected = reinterpret_cast<const unsigned char*>(&word);
    for (std::size_t i = 0; i < part; ++i) wrong += in[done + i] != expected[i];
  }
  return wrong;
}

}  // namespace leadline
