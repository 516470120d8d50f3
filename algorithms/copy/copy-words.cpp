// One word of 8 bytes after the other, as a simple loop does it.
#include <cstdint>

#include "algorithms/copy/copy.hpp"
#include "algorithms/copy/vectors.hpp"

namespace leadline {
namespace {

void* copy_words(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= bytes; i += sizeof(std::uint64_t)) {
    __builtin_memcpy(out + i, in + i, sizeof(std::uint64_t));
    KEEP_LOOP;
  }
  for (; i < bytes; ++i) {
    out[i] = in[i];
    KEEP_LOOP;
  }
  return to;
}

const CopyRoutine words{"words", "a loop over words of 8 bytes", copy_words};

}  // namespace
}  // namespace leadline
