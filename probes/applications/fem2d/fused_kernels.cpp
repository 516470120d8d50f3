#include "applications/fem2d/fused_kernels.hpp"

#include <cstddef>
#include <initializer_list>

// Compiled for each vector length, the best of which is chosen when the program starts.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && __GNUC__ >= 12
#define FOR_EACH_VECTOR_LENGTH \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_VECTOR_LENGTH
#endif

namespace leadline::probe::fem2d {

namespace {

// Pairs that are handled together, each in a place of its own in what is summed: whole vectors,
// however long they are.
constexpr std::int64_t kTogether = 16;
using Sum = double[kTogether];

template <typename Real>
constexpr Real kHalf = Real{1} / Real{2};

double total(const Sum& sum) {
  double all = 0.0;
  for (const double each : sum) all += each;
  return all;
}

[[gnu::always_inline]] inline double square(double value) { return value * value; }

// Asks for as many values as are handled together.
template <typename Real>
[[gnu::always_inline]] inline void fetch(const Real* values) {
  for (std::size_t line = 0; line < kTogether * sizeof(Real); line += 64) {
    __builtin_prefetch(reinterpret_cast<const char*>(values) + line, 0, 2);
  }
}

// Calls `handle` with each index and its place in the sums, and `prepare` before those that are
// handled together.
template <typename Prepare, typename Handle>
[[gnu::always_inline]] inline void for_each(std::int64_t count, Prepare&& prepare,
                                            Handle&& handle) {
  std::int64_t first = 0;
  for (; first + kTogether <= count; first += kTogether) {
    prepare(first);
#pragma GCC ivdep
    for (std::int64_t place = 0; place < kTogether; ++place) handle(first + place, place);
  }
  for (std::int64_t k = first; k < count; ++k) handle(k, k - first);
}

template <typename Real>
[[gnu::always_inline]] inline void any_direct(SplitRow<Real> p, SplitRow<const double> r,
                                              std::int64_t r_stride, CoarseRows<Real> z,
                                              Scaling inverse_diagonal, double beta,
                                              std::int64_t pairs) {
  Real* __restrict even = p.even;
  Real* __restrict odd = p.odd;
  const double* __restrict r_even = r.even;
  const double* __restrict r_odd = r.odd;
  const Real* __restrict south = z.south;
  const Real* __restrict north = z.north;
  const auto on_even = static_cast<Real>(inverse_diagonal.even);
  const auto on_odd = static_cast<Real>(inverse_diagonal.odd);
  const auto before = static_cast<Real>(beta);
  for_each(
      pairs,
      [&](std::int64_t k) __attribute__((always_inline)) {
        fetch(r_even + k + r_stride);
        fetch(r_odd + k + r_stride);
      },
      [&](std::int64_t k, std::int64_t) __attribute__((always_inline)) {
        even[k] = before * even[k] + on_even * static_cast<Real>(r_even[k]) +
                  kHalf<Real> * (south[k] + north[k]);
        odd[k] = before * odd[k] + on_odd * static_cast<Real>(r_odd[k]) +
                 kHalf<Real> * (south[k] + north[k + 1]);
      });
}

template <typename Real>
[[gnu::always_inline]] inline Energy any_odd_row_energy(SplitRow<const Real> p, std::int64_t stride,
                                                        std::int64_t pairs) {
  const Real* __restrict even = p.even;
  const Real* __restrict odd = p.odd;
  Sum along = {};
  Sum across = {};
  for_each(
      pairs,
      [&](std::int64_t k) __attribute__((always_inline)) {
        fetch(even + k + stride);
        fetch(odd + k + stride);
      },
      [&](std::int64_t k, std::int64_t place) __attribute__((always_inline)) {
        along[place] += square(even[k] - odd[k - 1]) + square(odd[k] - even[k]);
        across[place] += square(even[k] - even[k - stride]) + square(odd[k] - odd[k - stride]);
      });
  return {kNear * total(along), kNear * total(across)};
}

template <typename Real>
[[gnu::always_inline]] inline Energy any_even_row_energy(SplitRow<const Real> p,
                                                         std::int64_t stride, std::int64_t pairs) {
  const Real* __restrict even = p.even;
  const Real* __restrict odd = p.odd;
  Sum along = {};
  Sum across = {};
  Sum along_far = {};
  Sum across_far = {};
  for_each(
      pairs,
      [&](std::int64_t k) __attribute__((always_inline)) {
        fetch(even + k + stride);
        fetch(odd + k + stride);
      },
      [&](std::int64_t k, std::int64_t place) __attribute__((always_inline)) {
        along[place] += square(even[k] - odd[k - 1]) + square(odd[k] - even[k]);
        across[place] += square(even[k] - even[k - stride]) + square(odd[k] - odd[k - stride]);
        along_far[place] += square(even[k] - even[k - 1]);
        across_far[place] += square(even[k] - even[k - 2 * stride]);
      });
  return {kNear * total(along) - kFar * total(along_far),
          kNear * total(across) - kFar * total(across_far)};
}

template <typename Real>
[[gnu::always_inline]] inline Squares any_advance_odd_row(SplitRow<double> x, SplitRow<double> r,
                                                          SplitRow<const Real> p,
                                                          std::int64_t stride,
                                                          std::int64_t r_stride, double alpha,
                                                          double weight, std::int64_t pairs) {
  double* __restrict x_even = x.even;
  double* __restrict x_odd = x.odd;
  double* __restrict r_even = r.even;
  double* __restrict r_odd = r.odd;
  const Real* __restrict even = p.even;
  const Real* __restrict odd = p.odd;
  const double step = weight * alpha * kNear;
  const double centre_step = 4.0 * step;
  Sum sum_even = {};
  Sum sum_odd = {};
  for_each(
      pairs,
      [&](std::int64_t k) __attribute__((always_inline)) {
        fetch(x_even + k + r_stride);
        fetch(x_odd + k + r_stride);
        fetch(r_even + k + r_stride);
        fetch(r_odd + k + r_stride);
        fetch(even + k + 3 * stride);
        fetch(odd + k + 3 * stride);
      },
      [&](std::int64_t k, std::int64_t place) __attribute__((always_inline)) {
        const double at_even = even[k];
        const double at_odd = odd[k];
        const double around_even =
            (double{odd[k - 1]} + at_odd) + (double{even[k - stride]} + double{even[k + stride]});
        const double around_odd =
            (at_even + double{even[k + 1]}) + (double{odd[k - stride]} + double{odd[k + stride]});
        x_even[k] += alpha * at_even;
        x_odd[k] += alpha * at_odd;
        const double now_even = r_even[k] - centre_step * at_even + step * around_even;
        const double now_odd = r_odd[k] - centre_step * at_odd + step * around_odd;
        r_even[k] = now_even;
        r_odd[k] = now_odd;
        sum_even[place] += square(now_even);
        sum_odd[place] += square(now_odd);
      });
  return {total(sum_even), total(sum_odd)};
}

template <typename Real>
[[gnu::always_inline]] inline Squares any_advance_even_row(SplitRow<double> x, SplitRow<double> r,
                                                           SplitRow<const Real> p,
                                                           std::int64_t stride,
                                                           std::int64_t r_stride, double alpha,
                                                           double weight, std::int64_t pairs) {
  double* __restrict x_even = x.even;
  double* __restrict x_odd = x.odd;
  double* __restrict r_even = r.even;
  double* __restrict r_odd = r.odd;
  const Real* __restrict even = p.even;
  const Real* __restrict odd = p.odd;
  const double step = weight * alpha * kNear;
  const double far_step = weight * alpha * kFar;
  const double centre_step = 4.0 * step;
  const double vertex_step = 4.0 * (step - far_step);
  Sum sum_even = {};
  Sum sum_odd = {};
  for_each(
      pairs,
      [&](std::int64_t k) __attribute__((always_inline)) {
        fetch(x_even + k + r_stride);
        fetch(x_odd + k + r_stride);
        fetch(r_even + k + r_stride);
        fetch(r_odd + k + r_stride);
        fetch(even + k + 3 * stride);
        fetch(odd + k + 3 * stride);
      },
      [&](std::int64_t k, std::int64_t place) __attribute__((always_inline)) {
        const double at_even = even[k];
        const double at_odd = odd[k];
        const double after = even[k + 1];
        const double around_even =
            (double{odd[k - 1]} + at_odd) + (double{even[k - stride]} + double{even[k + stride]});
        const double around_odd =
            (at_even + after) + (double{odd[k - stride]} + double{odd[k + stride]});
        const double far = (double{even[k - 1]} + after) +
                           (double{even[k - 2 * stride]} + double{even[k + 2 * stride]});
        x_even[k] += alpha * at_even;
        x_odd[k] += alpha * at_odd;
        const double now_even =
            r_even[k] - vertex_step * at_even + step * around_even - far_step * far;
        const double now_odd = r_odd[k] - centre_step * at_odd + step * around_odd;
        r_even[k] = now_even;
        r_odd[k] = now_odd;
        sum_even[place] += square(now_even);
        sum_odd[place] += square(now_odd);
      });
  return {total(sum_even), total(sum_odd)};
}

template <typename Real>
[[gnu::always_inline]] inline double any_restrict_split(Real* __restrict coarse,
                                                        std::int64_t coarse_stride,
                                                        SplitRow<const double> r,
                                                        std::int64_t stride, std::int64_t count) {
  const double* __restrict even = r.even;
  const double* __restrict odd = r.odd;
  Sum squares = {};
  for_each(
      count,
      [&](std::int64_t k) __attribute__((always_inline)) { fetch(coarse + k + coarse_stride); },
      [&](std::int64_t k, std::int64_t place) __attribute__((always_inline)) {
        const double around = (odd[k - 1] + odd[k]) + (odd[k - 1 - stride] + even[k - stride]) +
                              (even[k + stride] + odd[k + stride]);
        const double value = even[k] + 0.5 * around;
        coarse[k] = static_cast<Real>(value);
        squares[place] += square(value);
      });
  return total(squares);
}

template <typename Real>
[[gnu::always_inline]] inline double any_restrict_row(Real* __restrict coarse,
                                                      const Real* __restrict r, std::int64_t stride,
                                                      std::int64_t count) {
  const Real* __restrict south = r - stride;
  const Real* __restrict north = r + stride;
  Sum squares = {};
  for_each(
      count,
      [&](std::int64_t k) __attribute__((always_inline)) {
        for (const std::int64_t i : {2 * k, 2 * k + kTogether}) {
          fetch(r + i + 2 * stride);
          fetch(r + i + 3 * stride);
        }
      },
      [&](std::int64_t k, std::int64_t place) __attribute__((always_inline)) {
        const std::int64_t i = 2 * k;
        const Real around =
            (r[i - 1] + r[i + 1]) + (south[i - 1] + south[i]) + (north[i] + north[i + 1]);
        const Real value = r[i] + kHalf<Real> * around;
        coarse[k] = value;
        squares[place] += square(value);
      });
  return total(squares);
}

template <typename Real>
[[gnu::always_inline]] inline void any_prolong(Real* __restrict z, const Real* __restrict r,
                                               std::int64_t stride, CoarseRows<Real> coarse,
                                               double inverse_diagonal, std::int64_t pairs) {
  const Real* __restrict south = coarse.south;
  const Real* __restrict north = coarse.north;
  const auto inverse = static_cast<Real>(inverse_diagonal);
  for_each(
      pairs,
      [&](std::int64_t k) __attribute__((always_inline)) {
        fetch(r + 2 * k + stride);
        fetch(r + 2 * k + kTogether + stride);
      },
      [&](std::int64_t k, std::int64_t) __attribute__((always_inline)) {
        const std::int64_t i = 2 * k;
        z[i] = inverse * r[i] + kHalf<Real> * (south[k] + north[k]);
        z[i + 1] = inverse * r[i + 1] + kHalf<Real> * (south[k] + north[k + 1]);
      });
}

}  // namespace

FOR_EACH_VECTOR_LENGTH
void direct(SplitRow<float> p, SplitRow<const double> r, std::int64_t r_stride, CoarseRows<float> z,
            Scaling inverse_diagonal, double beta, std::int64_t pairs) {
  any_direct(p, r, r_stride, z, inverse_diagonal, beta, pairs);
}

FOR_EACH_VECTOR_LENGTH
void direct(SplitRow<double> p, SplitRow<const double> r, std::int64_t r_stride,
            CoarseRows<double> z, Scaling inverse_diagonal, double beta, std::int64_t pairs) {
  any_direct(p, r, r_stride, z, inverse_diagonal, beta, pairs);
}

FOR_EACH_VECTOR_LENGTH
Energy odd_row_energy(SplitRow<const float> p, std::int64_t stride, std::int64_t pairs) {
  return any_odd_row_energy(p, stride, pairs);
}

FOR_EACH_VECTOR_LENGTH
Energy odd_row_energy(SplitRow<const double> p, std::int64_t stride, std::int64_t pairs) {
  return any_odd_row_energy(p, stride, pairs);
}

FOR_EACH_VECTOR_LENGTH
Energy even_row_energy(SplitRow<const float> p, std::int64_t stride, std::int64_t pairs) {
  return any_even_row_energy(p, stride, pairs);
}

FOR_EACH_VECTOR_LENGTH
Energy even_row_energy(SplitRow<const double> p, std::int64_t stride, std::int64_t pairs) {
  return any_even_row_energy(p, stride, pairs);
}

FOR_EACH_VECTOR_LENGTH
Squares advance_odd_row(SplitRow<double> x, SplitRow<double> r, SplitRow<const float> p,
                        std::int64_t stride, std::int64_t r_stride, double alpha, double weight,
                        std::int64_t pairs) {
  return any_advance_odd_row(x, r, p, stride, r_stride, alpha, weight, pairs);
}

FOR_EACH_VECTOR_LENGTH
Squares advance_odd_row(SplitRow<double> x, SplitRow<double> r, SplitRow<const double> p,
                        std::int64_t stride, std::int64_t r_stride, double alpha, double weight,
                        std::int64_t pairs) {
  return any_advance_odd_row(x, r, p, stride, r_stride, alpha, weight, pairs);
}

FOR_EACH_VECTOR_LENGTH
Squares advance_even_row(SplitRow<double> x, SplitRow<double> r, SplitRow<const float> p,
                         std::int64_t stride, std::int64_t r_stride, double alpha, double weight,
                         std::int64_t pairs) {
  return any_advance_even_row(x, r, p, stride, r_stride, alpha, weight, pairs);
}

FOR_EACH_VECTOR_LENGTH
Squares advance_even_row(SplitRow<double> x, SplitRow<double> r, SplitRow<const double> p,
                         std::int64_t stride, std::int64_t r_stride, double alpha, double weight,
                         std::int64_t pairs) {
  return any_advance_even_row(x, r, p, stride, r_stride, alpha, weight, pairs);
}

FOR_EACH_VECTOR_LENGTH
double restrict_split(float* coarse, std::int64_t coarse_stride, SplitRow<const double> r,
                      std::int64_t stride, std::int64_t count) {
  return any_restrict_split(coarse, coarse_stride, r, stride, count);
}

FOR_EACH_VECTOR_LENGTH
double restrict_split(double* coarse, std::int64_t coarse_stride, SplitRow<const double> r,
                      std::int64_t stride, std::int64_t count) {
  return any_restrict_split(coarse, coarse_stride, r, stride, count);
}

FOR_EACH_VECTOR_LENGTH
double restrict_row(float* coarse, const float* r, std::int64_t stride, std::int64_t count) {
  return any_restrict_row(coarse, r, stride, count);
}

FOR_EACH_VECTOR_LENGTH
double restrict_row(double* coarse, const double* r, std::int64_t stride, std::int64_t count) {
  return any_restrict_row(coarse, r, stride, count);
}

FOR_EACH_VECTOR_LENGTH
void prolong(float* z, const float* r, std::int64_t stride, CoarseRows<float> coarse,
             double inverse_diagonal, std::int64_t pairs) {
  any_prolong(z, r, stride, coarse, inverse_diagonal, pairs);
}

FOR_EACH_VECTOR_LENGTH
void prolong(double* z, const double* r, std::int64_t stride, CoarseRows<double> coarse,
             double inverse_diagonal, std::int64_t pairs) {
  any_prolong(z, r, stride, coarse, inverse_diagonal, pairs);
}

}  // namespace leadline::probe::fem2d
