#include "benchmarks/node/dot_trials.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/node/exact_sum.hpp"
#include "benchmarks/node/floating_point.hpp"

using namespace leadline::probe;

namespace {

std::set<std::string> failed(const DotKernel& kernel) {
  const std::uint64_t bits = failed_dot_trials(kernel, 42);
  std::set<std::string> names;
  for (std::size_t i = 0; i < dot_trials().size(); ++i) {
    if (bits >> i & 1U) names.insert(dot_trials()[i].trial.name);
  }
  return names;
}

double plain(std::int64_t n, const double* x, const double* y) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

double backwards(std::int64_t n, const double* x, const double* y) {
  double sum = 0.0;
  while (n-- > 0) sum = std::fma(x[n], y[n], sum);
  return sum;
}

DotKernel kernel_of(double (*dot)(std::int64_t, const double*, const double*),
                    DotClass error_class = DotClass::kPlain) {
  DotKernel kernel;
  kernel.dot = dot;
  kernel.error_class = error_class;
  return kernel;
}

using Names = std::set<std::string>;

// What -ffast-math makes of tests for numbers that are not finite.
int never(double) { return 0; }
int always(double) { return 1; }

}  // namespace

TEST_CASE("a plain sum passes every trial, in any order, fused or not") {
  CHECK(failed(kernel_of(plain)) == Names{});
  CHECK(failed(kernel_of(backwards)) == Names{});
}

TEST_CASE("a sum that is as exact as a double can be passes as any class") {
  const auto exact = [](std::int64_t n, const double* x, const double* y) {
    const double usual = plain(n, x, y);
    if (!std::isfinite(usual) || std::abs(usual) < 1e-200 || n > 100000) return usual;
    ExactSum sum;
    for (std::int64_t i = 0; i < n; ++i) sum.add_product(x[i], y[i]);
    return sum.value();
  };
  CHECK(failed(kernel_of(exact, DotClass::kDoubled)) == Names{});
  CHECK(failed(kernel_of(exact, DotClass::kCompensated)) == Names{});
}

TEST_CASE("a compensation that the compiler has taken out is found") {
  CHECK(failed(kernel_of(plain, DotClass::kCompensated)).contains("lost_terms"));
  CHECK(failed(kernel_of(plain, DotClass::kDoubled)) == Names{"ill_conditioned", "lost_terms"});
  const auto lanes = [](std::int64_t n, const double* x, const double* y) {
    double sums[32] = {};
    for (std::int64_t i = 0; i < n; ++i) sums[i % 32] += x[i] * y[i];
    double sum = 0.0;
    for (const double each : sums) sum += each;
    return sum;
  };
  CHECK(failed(kernel_of(lanes)) == Names{});
  CHECK(failed(kernel_of(lanes, DotClass::kCompensated)).contains("lost_terms"));
}

TEST_CASE("single precision is not good enough") {
  const Names names = failed(kernel_of([](std::int64_t n, const double* x, const double* y) {
    float sum = 0.0F;
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<float>(x[i] * y[i]);
    return static_cast<double>(sum);
  }));
  CHECK(names.contains("cancellation"));
  CHECK(names.contains("ill_conditioned"));
  CHECK(names.contains("lengths") == false);  // these numbers are small enough
}

TEST_CASE("a forgotten tail, and a reach beyond the end, are found") {
  CHECK(failed(kernel_of([](std::int64_t n, const double* x, const double* y) {
          return plain(n < 8 ? n : n / 8 * 8, x, y);
        })).contains("lengths"));
  CHECK(failed(kernel_of([](std::int64_t n, const double* x, const double* y) {
          return plain(n, x, y) + 0.0 * x[n];
        })).contains("lengths"));
}

TEST_CASE("a kernel that is wrong only where it reads in streams is found") {
  CHECK(failed(kernel_of([](std::int64_t n, const double* x, const double* y) {
          return plain(n < 100000 ? n : n - 1, x, y);
        })).contains("denormals"));
}

TEST_CASE("denormals that are taken for zeros are found") {
  const auto flush = [](double value) {
    return std::abs(value) < std::numeric_limits<double>::min() ? 0.0 : value;
  };
  static const auto kFlush = flush;
  CHECK(failed(kernel_of([](std::int64_t n, const double* x, const double* y) {
          double sum = 0.0;
          for (std::int64_t i = 0; i < n; ++i) sum += kFlush(kFlush(x[i]) * kFlush(y[i]));
          return sum;
        })) == Names{"denormals"});
}

TEST_CASE("numbers that are not finite are missed by a kernel that skips or mixes them up") {
  CHECK(failed(kernel_of([](std::int64_t n, const double* x, const double* y) {
          double sum = 0.0;
          for (std::int64_t i = 0; i < n; ++i) {
            if (x[i] * y[i] == x[i] * y[i]) sum += x[i] * y[i];
          }
          return sum;
        })) == Names{"invalid", "nan"});
  // As compensated sums do that do not look at what came out.
  CHECK(failed(kernel_of([](std::int64_t n, const double* x, const double* y) {
          const double sum = plain(n, x, y);
          return sum + (sum - sum);
        })) == Names{"infinity"});
  // As the basic linear algebra of old did with zeros.
  CHECK(failed(kernel_of([](std::int64_t n, const double* x, const double* y) {
          double sum = 0.0;
          for (std::int64_t i = 0; i < n; ++i) {
            if (x[i] != 0.0) sum += x[i] * y[i];
          }
          return sum;
        })) == Names{"invalid", "nan"});
}

TEST_CASE("very large factors whose products are usual must not overflow on the way") {
  CHECK(failed(kernel_of([](std::int64_t n, const double* x, const double* y) {
          double sum = 0.0;
          for (std::int64_t i = 0; i < n; ++i) sum += 134217729.0 * x[i] * y[i] / 134217729.0;
          return sum;
        })).contains("extreme_exponents"));
}

TEST_CASE("what flags do to code around the kernel counts, where the library tells it") {
  DotKernel kernel = kernel_of(plain);
  kernel.is_nan = never;
  CHECK(failed(kernel) == Names{"non_finite_tests"});
  kernel = kernel_of(plain);
  kernel.is_finite = always;
  CHECK(failed(kernel) == Names{"non_finite_tests"});
  kernel = kernel_of(plain);
  kernel.residual_loop = [](double (*residual)(), int limit) {
    int iterations = 0;
    while (iterations < limit && residual() > 1e-8) ++iterations;
    return iterations;
  };
  CHECK(failed(kernel) == Names{"residual_loop"});
  kernel = kernel_of(plain);
  kernel.kept_mode = false;
  CHECK(failed(kernel) == Names{"denormal_mode"});
}

TEST_CASE("a sum without rounding error") {
  ExactSum sum;
  for (const double term : {1e100, 1.0, -1e100, 1e-100, -1.0}) sum.add(term);
  CHECK(sum.value() == 1e-100);
  ExactSum products;
  products.add_product(0x1.0000001p0, 0x1.0000001p0);
  products.add(-0x1.0000002p0);
  CHECK(products.value() == 0x1p-56);
}

#if defined(__x86_64__)
TEST_CASE("a change of the processor's mode is noticed and taken back") {
  const std::uint64_t before = floating_point_control();
  {
    const KeptFloatingPointMode mode;
    CHECK(mode.kept());
    volatile double small = 1e-300;
    small = small * small;  // sets only the flag that something was lost
    CHECK(mode.kept());
    set_floating_point_control(before | 0x8040);
    CHECK(!mode.kept());
  }
  CHECK(((floating_point_control() ^ before) & kFloatingPointMode) == 0);
}
#endif
