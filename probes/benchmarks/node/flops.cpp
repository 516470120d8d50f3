// Every core multiplies and adds numbers in registers: the most floating-point operations that it
// can do, which bounds whatever computes.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/processor.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace leadline::probe {
namespace {

// Odd, so that what comes out is not what went in.
constexpr std::size_t kSteps = 10001;

// Replaces each of `values` by factor * value + term, `steps` times. Enough vectors at once that
// none waits for the one before, and so few that all stay in registers.
using Chains = void(double* values, double factor, double term, std::size_t steps);

struct Unit {
  Chains* chains;
  std::size_t values;
};

#define DEFINE_CHAINS(name, attributes, Vector, count, load, store, broadcast, multiply_add) \
  constexpr std::size_t k_##name = (count) * sizeof(Vector) / sizeof(double);                \
  attributes void name(double* values, double factor, double term, std::size_t steps) {      \
    constexpr std::size_t kWidth = sizeof(Vector) / sizeof(double);                          \
    const Vector m = broadcast(factor);                                                      \
    const Vector t = broadcast(term);                                                        \
    Vector v[count];                                                                         \
    _Pragma("GCC unroll 16") for (std::size_t i = 0; i < (count); ++i) {                     \
      v[i] = load(values + i * kWidth);                                                      \
    }                                                                                        \
    for (; steps > 0; --steps) {                                                             \
      _Pragma("GCC unroll 16") for (std::size_t i = 0; i < (count); ++i) {                   \
        v[i] = multiply_add(v[i], m, t);                                                     \
      }                                                                                      \
    }                                                                                        \
    _Pragma("GCC unroll 16") for (std::size_t i = 0; i < (count); ++i) {                     \
      store(values + i * kWidth, v[i]);                                                      \
    }                                                                                        \
  }

#if defined(__x86_64__)
#define SEPARATELY(value, factor, term) _mm_add_pd(_mm_mul_pd(value, factor), term)
DEFINE_CHAINS(sse2, , __m128d, 12, _mm_loadu_pd, _mm_storeu_pd, _mm_set1_pd, SEPARATELY)
DEFINE_CHAINS(avx2, __attribute__((target("avx2,fma"))), __m256d, 12, _mm256_loadu_pd,
              _mm256_storeu_pd, _mm256_set1_pd, _mm256_fmadd_pd)
DEFINE_CHAINS(avx512, __attribute__((target("avx512f"))), __m512d, 12, _mm512_loadu_pd,
              _mm512_storeu_pd, _mm512_set1_pd, _mm512_fmadd_pd)

Unit widest_unit() {
  if (processor.avx512f) return {avx512, k_avx512};
  if (processor.avx2) return {avx2, k_avx2};
  return {sse2, k_sse2};
}
#elif defined(__aarch64__)
#define FUSED(value, factor, term) vfmaq_f64(term, value, factor)
DEFINE_CHAINS(neon, , float64x2_t, 16, vld1q_f64, vst1q_f64, vdupq_n_f64, FUSED)

Unit widest_unit() { return {neon, k_neon}; }
#else
#define SAME(value) (value)
#define LOAD(address) (*(address))
#define STORE(address, value) (*(address) = (value))
#define SEPARATELY(value, factor, term) ((value) * (factor) + (term))
DEFINE_CHAINS(scalar, , double, 12, LOAD, STORE, SAME, SEPARATELY)

Unit widest_unit() { return {scalar, k_scalar}; }
#endif

// Small integers that change sign in every step: nothing is rounded, and the end is known.
class Arithmetic {
 public:
  explicit Arithmetic(int rank) : rank_(static_cast<std::uint64_t>(rank)), values_(unit_.values) {}

  void call() { unit_.chains(values_.data(), -1.0, term_, kSteps); }
  void fill(std::uint64_t seed) {
    term_ = number(seed, values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = number(seed, i);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    const double term = number(seed, values_.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      wrong += values_[i] != term - number(seed, i);
    }
    return wrong * sizeof(double);
  }
  double operations() const { return 2.0 * kSteps * static_cast<double>(values_.size()); }

 private:
  double number(std::uint64_t seed, std::uint64_t index) const {
    return static_cast<double>(content_word(seed + rank_, index) >> 44U);
  }

  Unit unit_ = widest_unit();
  std::uint64_t rank_;
  std::vector<double> values_;
  double term_ = 1.0;
};

Operation prepare(const Point& point) {
  const auto arithmetic = std::make_shared<Arithmetic>(point.world().rank());
  Operation operation = operation_of(arithmetic);
  operation.flops = arithmetic->operations() * point.world().size();
  return operation;
}

const Registration flops{{
    .name = "node/flops",
    .title = "Floating-point peak",
    .summary =
        "time of multiplications and additions of doubles in registers, in the widest vectors "
        "there are, on every process at once; the rate is that of all processes together",
    .axes = {},
    .series = {{"arithmetic",
                "from the common start to the end of the last operation; each process stops its "
                "own clock, and the slowest one counts"}},
    .start = Start::kAgreed,
    .prepare = prepare,
    .messages = false,
}};

}  // namespace
}  // namespace leadline::probe
