#include "benchmarks/node/sweeps.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "algorithms/caches.hpp"
#include "algorithms/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace leadline::probe {
namespace {

constexpr std::size_t kPage = 4096;
// As much is tried in streams, too, each in pages of its own.
constexpr std::size_t kStreamsFrom = std::size_t{1} << 20;
// A trial reads so much, of few bytes many times: long beside what reading the clock takes.
constexpr std::size_t kTrialBytes = std::size_t{4} << 20;
constexpr int kTrials = 5;

// Keeps the compiler from making one of several sweeps, or a call of memcpy of a loop.
#define KEEP asm volatile("" ::: "memory")

// Each set of vectors is as wide as the registers of its instructions: a compiler that has to split
// vectors splits them badly.
#define DEFINE_STREAMS(name, attributes, width)                                                    \
  attributes std::uint64_t name##_streams(const std::uint64_t* words, std::size_t bytes,           \
                                          std::size_t sweeps) {                                    \
    typedef std::uint64_t Vector __attribute__((vector_size(width), may_alias));                   \
    constexpr std::size_t kStreams = 16;                                                           \
    constexpr std::size_t kSums = 8;                                                               \
    constexpr std::size_t kLine = kLineBytes / (width);                                            \
    /* Not whole pages apart: those would share one set of the first cache. */                     \
    const std::size_t apart = ((bytes / kStreams / kPage - 1) * kPage + 2 * kLineBytes) / (width); \
    const auto* from = reinterpret_cast<const Vector*>(words);                                     \
    Vector sums[kSums] = {};                                                                       \
    for (; sweeps > 0; --sweeps) {                                                                 \
      for (std::size_t i = 0; i < apart; i += kLine) {                                             \
        for (std::size_t k = 0; k < kStreams; ++k) {                                               \
          for (std::size_t l = 0; l < kLine; ++l) sums[k % kSums] += from[k * apart + i + l];      \
        }                                                                                          \
      }                                                                                            \
      for (std::size_t i = kStreams * apart; i < bytes / (width); ++i) sums[0] += from[i];         \
      KEEP;                                                                                        \
    }                                                                                              \
    for (std::size_t k = 1; k < kSums; ++k) sums[0] += sums[k];                                    \
    std::uint64_t sum = 0;                                                                         \
    for (std::size_t k = 0; k < (width) / sizeof(std::uint64_t); ++k) sum += sums[0][k];           \
    return sum;                                                                                    \
  }

#define DEFINE_SUM(name, attributes, width)                                               \
  DEFINE_STREAMS(name, attributes, width)                                                 \
  attributes std::uint64_t name(const std::uint64_t* words, std::size_t bytes,            \
                                std::size_t sweeps) {                                     \
    typedef std::uint64_t Vector __attribute__((vector_size(width), may_alias));          \
    constexpr std::size_t kUnrolled = 4;                                                  \
    const std::size_t half = bytes / width / 2;                                           \
    const bool odd = bytes / width % 2 != 0;                                              \
    const auto* first = reinterpret_cast<const Vector*>(words);                           \
    const auto* second = first + half;                                                    \
    Vector sums[2 * kUnrolled] = {};                                                      \
    for (; sweeps > 0; --sweeps) {                                                        \
      std::size_t i = 0;                                                                  \
      for (; i + kUnrolled <= half; i += kUnrolled) {                                     \
        for (std::size_t k = 0; k < kUnrolled; ++k) sums[k] += first[i + k];              \
        for (std::size_t k = 0; k < kUnrolled; ++k) sums[kUnrolled + k] += second[i + k]; \
      }                                                                                   \
      for (; i < half; ++i) {                                                             \
        sums[0] += first[i];                                                              \
        sums[1] += second[i];                                                             \
      }                                                                                   \
      if (odd) sums[2] += second[half];                                                   \
      KEEP;                                                                               \
    }                                                                                     \
    for (std::size_t k = 1; k < 2 * kUnrolled; ++k) sums[0] += sums[k];                   \
    std::uint64_t sum = 0;                                                                \
    for (std::size_t k = 0; k < width / sizeof(std::uint64_t); ++k) sum += sums[0][k];    \
    return sum;                                                                           \
  }

#define DEFINE_SWEEP(name, attributes, width, store, fence, result)                      \
  attributes void name(double* a, [[maybe_unused]] const double* b,                      \
                       [[maybe_unused]] const double* c, [[maybe_unused]] double factor, \
                       std::size_t bytes, std::size_t sweeps) {                          \
    typedef double Vector __attribute__((vector_size(width), may_alias));                \
    auto* out = reinterpret_cast<Vector*>(a);                                            \
    [[maybe_unused]] const auto* left = reinterpret_cast<const Vector*>(b);              \
    [[maybe_unused]] const auto* right = reinterpret_cast<const Vector*>(c);             \
    [[maybe_unused]] const Vector q = Vector{} + factor;                                 \
    const std::size_t count = bytes / width;                                             \
    for (; sweeps > 0; --sweeps) {                                                       \
      _Pragma("GCC unroll 4") for (std::size_t i = 0; i < count; ++i) {                  \
        store(out + i, result);                                                          \
        KEEP;                                                                            \
      }                                                                                  \
      fence();                                                                           \
    }                                                                                    \
  }

#define DEFINE_STORING(set, attributes, width, store, fence)                         \
  DEFINE_SWEEP(write_##set, attributes, width, store, fence, q)                      \
  DEFINE_SWEEP(copy_##set, attributes, width, store, fence, left[i])                 \
  DEFINE_SWEEP(scale_##set, attributes, width, store, fence, q* left[i])             \
  DEFINE_SWEEP(triad_##set, attributes, width, store, fence, left[i] + q * right[i]) \
  DEFINE_SWEEP(update_##set, attributes, width, store, fence, out[i] + q * left[i])

#define STORE(address, value) *(address) = (value)
#define NO_FENCE() static_cast<void>(0)

DEFINE_SUM(sum_plain, , 16)
DEFINE_STORING(plain, , 16, STORE, NO_FENCE)

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f")))
#define STREAM_16(address, value) _mm_stream_pd(reinterpret_cast<double*>(address), value)
#define STREAM_32(address, value) _mm256_stream_pd(reinterpret_cast<double*>(address), value)
#define STREAM_64(address, value) _mm512_stream_pd(reinterpret_cast<double*>(address), value)

DEFINE_STORING(plain_non_temporal, , 16, STREAM_16, _mm_sfence)
DEFINE_SUM(sum_avx2, AVX2, 32)
DEFINE_STORING(avx2, AVX2, 32, STORE, NO_FENCE)
DEFINE_STORING(avx2_non_temporal, AVX2, 32, STREAM_32, _mm_sfence)
DEFINE_SUM(sum_avx512, AVX512, 64)
DEFINE_STORING(avx512, AVX512, 64, STORE, NO_FENCE)
DEFINE_STORING(avx512_non_temporal, AVX512, 64, STREAM_64, _mm_sfence)

// AMD's processors store 64 bytes at once no faster than twice 32: measured in the first-level
// cache, triads are slower by 20 %.
bool wants_avx512() { return processor.avx512f && processor.is_intel; }

#define FASTEST(operation) \
  (wants_avx512() ? operation##_avx512 : processor.avx2 ? operation##_avx2 : operation##_plain)
#define FASTEST_NON_TEMPORAL(operation)               \
  (wants_avx512()   ? operation##_avx512_non_temporal \
   : processor.avx2 ? operation##_avx2_non_temporal   \
                    : operation##_plain_non_temporal)
#else
#define FASTEST(operation) operation##_plain
#define FASTEST_NON_TEMPORAL(operation) nullptr
#endif

}  // namespace

std::vector<Sum*> sums(std::size_t bytes) {
  std::vector<Sum*> found;
  const auto add = [&](Sum* halves, Sum* streams) {
    found.push_back(halves);
    if (bytes >= kStreamsFrom) found.push_back(streams);
  };
  add(sum_plain, sum_plain_streams);
#if defined(__x86_64__)
  if (processor.avx2) add(sum_avx2, sum_avx2_streams);
  if (processor.avx512f) add(sum_avx512, sum_avx512_streams);
#endif
  return found;
}

Sum* fastest_sum(const std::uint64_t* words, std::size_t bytes) {
  using Clock = std::chrono::steady_clock;
  // Beyond all caches more bytes tell nothing more.
  const std::size_t tried = std::min(bytes, std::max(4 * read_caches().last, kTrialBytes));
  const std::size_t sweeps = std::max<std::size_t>(1, kTrialBytes / tried);
  const std::vector<Sum*> candidates = sums(bytes);
  Sum* fastest = candidates.front();
  auto least = Clock::duration::max();
  for (int trial = 0; trial < kTrials; ++trial) {
    for (Sum* const sum : candidates) {
      const auto begin = Clock::now();
      sum(words, tried, sweeps);
      const auto spent = Clock::now() - begin;
      if (spent < least) std::tie(least, fastest) = std::pair(spent, sum);
    }
  }
  return fastest;
}

const std::vector<StoringSweep>& storing_sweeps() {
  static const std::vector<StoringSweep> sweeps{
      {"write", "a = q", 1, 0, 0, true, FASTEST(write), FASTEST_NON_TEMPORAL(write),
       [](double, double, double, double q, double) { return q; }},
      {"copy", "a = b", 2, 1, 0, true, FASTEST(copy), FASTEST_NON_TEMPORAL(copy),
       [](double, double b, double, double, double) { return b; }},
      {"scale", "a = q b", 2, 1, 1, true, FASTEST(scale), FASTEST_NON_TEMPORAL(scale),
       [](double, double b, double, double q, double) { return q * b; }},
      {"triad", "a = b + q c", 3, 2, 2, true, FASTEST(triad), FASTEST_NON_TEMPORAL(triad),
       [](double, double b, double c, double q, double) { return b + q * c; }},
      {"update", "a = a + q b", 2, 2, 2, false, FASTEST(update), FASTEST_NON_TEMPORAL(update),
       [](double a, double b, double, double q, double sweeps) { return a + sweeps * q * b; }},
  };
  return sweeps;
}

}  // namespace leadline::probe
