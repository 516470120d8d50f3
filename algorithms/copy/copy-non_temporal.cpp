// Stores past the caches: no line is fetched only because it is stored, and nothing else is driven
// out. Two halves are copied side by side, since many processors look ahead only within a page: so
// they do it twice.
#include "algorithms/copy/copy.hpp"
#include "algorithms/copy/vectors.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace leadline {

#if defined(__x86_64__)
namespace {

constexpr std::size_t kLine = 64;
// A step copies so much of each half.
constexpr std::size_t kStep = 2 * kLine;

// `to` is on a line.
inline void stream_step(unsigned char* to, const unsigned char* from) {
  constexpr std::size_t kVectors = kStep / sizeof(__m128i);
  __m128i vectors[kVectors];
  for (std::size_t k = 0; k < kVectors; ++k) {
    vectors[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + k);
  }
  for (std::size_t k = 0; k < kVectors; ++k) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to) + k, vectors[k]);
  }
}

}  // namespace

void* copy_non_temporal(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  if (bytes <= kLine) {
    copy_short(out, in, bytes);
    return to;
  }
  const std::size_t head = kLine - reinterpret_cast<std::uintptr_t>(out) % kLine;
  copy_short(out, in, head);
  const std::size_t half = (bytes - head) / (2 * kStep) * kStep;
  for (std::size_t i = head; i < head + half; i += kStep) {
    stream_step(out + i, in + i);
    stream_step(out + half + i, in + half + i);
  }
  for (std::size_t i = head + 2 * half; i < bytes;) {
    const std::size_t rest = bytes - i < kLine ? bytes - i : kLine;
    copy_short(out + i, in + i, rest);
    i += rest;
  }
  _mm_sfence();
  return to;
}
#endif

namespace {

const CopyRoutine non_temporal{"non_temporal", "stores past the caches, two halves side by side",
                               X86_ONLY(copy_non_temporal), "an x86-64 processor"};

}  // namespace
}  // namespace leadline
