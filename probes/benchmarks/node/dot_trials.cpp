#include "benchmarks/node/dot_trials.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>

#include "benchmarks/node/exact_sum.hpp"
#include "benchmarks/node/floating_point.hpp"

namespace leadline::probe {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnit = 0x1p-53;
// Below, at and beyond what loops unroll, and so long that kernels read in several streams.
constexpr std::int64_t kLengths[] = {1, 2, 7, 8, 31, 32, 33, 67, 100, 1000, (1 << 19) + 5};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool bits_of_nan(double value) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000;
  const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
  return magnitude > kExponent;
}

struct Vectors {
  explicit Vectors(std::int64_t n, double value = 0.0)
      : x(static_cast<std::size_t>(n), value), y(x) {}
  explicit Vectors(const std::vector<std::pair<double, double>>& pairs) {
    for (const auto& [from_x, from_y] : pairs) {
      x.push_back(from_x);
      y.push_back(from_y);
    }
  }
  std::int64_t size() const { return static_cast<std::int64_t>(x.size()); }
  double dot(const DotKernel& kernel) const { return kernel.dot(size(), x.data(), y.data()); }

  std::vector<double> x;
  std::vector<double> y;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  // Of either sign, between half of 2^exponent and all of it.
  double scaled(double exponent) {
    const double size = std::ldexp(real(0.5, 1.0), static_cast<int>(std::lround(exponent)));
    return integer(0, 1) != 0 ? size : -size;
  }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    std::shuffle(items.begin(), items.end(), engine_);
  }

 private:
  std::mt19937_64 engine_;
};

// First, last, and what lies around the ends of vectors.
std::vector<std::size_t> places(std::int64_t n) {
  if (n > 1000) return {0, static_cast<std::size_t>(n / 2), static_cast<std::size_t>(n - 1)};
  std::vector<std::size_t> found;
  for (const std::int64_t place :
       {std::int64_t{0}, std::int64_t{1}, n / 2, n / 8 * 8 - 1, n / 8 * 8, n - 2, n - 1}) {
    if (place >= 0 && place < n) found.push_back(static_cast<std::size_t>(place));
  }
  return found;
}

// Integers times powers of two whose product, and every sum of products, is exact in any order.
bool exact_at_scales(const DotKernel& kernel, std::uint64_t seed, double x_scale, double y_scale) {
  for (const std::int64_t n : kLengths) {
    Vectors v(n);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < v.x.size(); ++i) {
      const std::int64_t a = small_integer(seed, 2 * i);
      const std::int64_t b = small_integer(seed, 2 * i + 1);
      v.x[i] = static_cast<double>(a) * x_scale;
      v.y[i] = static_cast<double>(b) * y_scale;
      sum += a * b;
    }
    // A sum of zero may have either sign.
    if (v.dot(kernel) != static_cast<double>(sum) * (x_scale * y_scale)) return false;
  }
  return true;
}

bool passes_lengths(const DotKernel& kernel, std::uint64_t seed) {
  constexpr std::int64_t kLongest = 67;
  constexpr std::size_t kOffsets = 8;
  for (std::int64_t n = 0; n <= kLongest; ++n) {
    for (std::size_t offset = 0; offset < kOffsets * kOffsets; ++offset) {
      // Who reads beyond the ends finds no number there.
      std::vector<double> x(kLongest + 2 * kOffsets, kNan);
      std::vector<double> y = x;
      double* const from_x = x.data() + 1 + offset / kOffsets;
      double* const from_y = y.data() + 1 + offset % kOffsets;
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto index = 2 * static_cast<std::uint64_t>(i);
        const std::int64_t a = small_integer(seed + offset, index);
        const std::int64_t b = small_integer(seed + offset, index + 1);
        from_x[i] = static_cast<double>(a);
        from_y[i] = static_cast<double>(b);
        sum += a * b;
      }
      if (kernel.dot(n, from_x, from_y) != static_cast<double>(sum)) return false;
    }
  }
  return true;
}

double bound(DotClass error_class, double n, double exact, double magnitude) {
  const double g = n * kUnit / (1.0 - n * kUnit);
  switch (error_class) {
    case DotClass::kCompensated:
      return (3.0 * kUnit + 4.0 * n * kUnit * kUnit) * magnitude;
    case DotClass::kDoubled:
      return kUnit * std::abs(exact) + g * g * magnitude;
    case DotClass::kPlain:
      break;
  }
  return g * magnitude;
}

bool within_bound(const DotKernel& kernel, const Vectors& v) {
  ExactSum exact;
  ExactSum magnitude;
  for (std::size_t i = 0; i < v.x.size(); ++i) {
    exact.add_product(v.x[i], v.y[i]);
    magnitude.add_product(std::abs(v.x[i]), std::abs(v.y[i]));
  }
  const double result = v.dot(kernel);
  if (!std::isfinite(result)) return false;
  ExactSum error = exact;
  error.add(-result);
  // What is compared is rounded itself.
  constexpr double kSlack = 1.0 + 1e-12;
  return std::abs(error.value()) <= kSlack * bound(kernel.error_class,
                                                   static_cast<double>(v.size()), exact.value(),
                                                   magnitude.value());
}

// Data of the condition number 2^bits or so: the second half takes away what the first one brought
// (Ogita, Rump, Oishi, SISC 26(6), 2005, algorithm 6.1).
Vectors ill_conditioned(std::int64_t n, int bits, Random& random) {
  const double top = bits / 2.0;
  const std::int64_t half = n / 2;
  ExactSum sum;
  std::vector<std::pair<double, double>> pairs;
  const auto add = [&](double x, double y) {
    sum.add_product(x, y);
    pairs.emplace_back(x, y);
  };
  for (std::int64_t i = 0; i < half; ++i) {
    const double exponent = i == 0 ? top + 1.0 : random.real(0.0, top);
    add(random.scaled(exponent), random.scaled(exponent));
  }
  for (std::int64_t i = half; i < n; ++i) {
    const double exponent = top * static_cast<double>(n - 1 - i) / static_cast<double>(n - half);
    const double x = random.scaled(exponent);
    add(x, (random.scaled(exponent) - sum.value()) / x);
  }
  random.shuffle(pairs);
  return Vectors(pairs);
}

bool passes_ill_conditioned(const DotKernel& kernel, std::uint64_t seed) {
  Random random(seed);
  for (const std::int64_t n : {9, 100, 999}) {
    for (const int bits : {20, 50, 75, 100}) {
      if (!within_bound(kernel, ill_conditioned(n, bits, random))) return false;
    }
  }
  return true;
}

bool passes_lost_terms(const DotKernel& kernel, std::uint64_t) {
  for (const std::int64_t n : {1000, 100000}) {
    for (const double term : {0x1p-54, 0x1p-53, 0x1.8p-53}) {
      Vectors v(n, 1.0);
      std::fill(v.y.begin() + 1, v.y.end(), term);
      if (!within_bound(kernel, v)) return false;
    }
  }
  return true;
}

bool passes_cancellation(const DotKernel& kernel, std::uint64_t seed) {
  Random random(seed);
  for (const std::int64_t n : {2, 9, 68, 1001}) {
    std::vector<std::pair<double, double>> pairs;
    for (std::int64_t i = 0; i < n / 2; ++i) {
      const auto a = static_cast<double>(random.integer(1, 1 << 21));
      const auto b = static_cast<double>(random.integer(1, 1 << 21));
      pairs.emplace_back(a, b);
      pairs.emplace_back(b, -a);
    }
    pairs.emplace_back(1.0, 1.0);
    random.shuffle(pairs);
    if (Vectors(pairs).dot(kernel) != 1.0) return false;
  }
  return true;
}

// Whether the result is right with `x` and `y` at each place of usual numbers.
bool right_everywhere(const DotKernel& kernel, double x, double y, bool (*right)(double)) {
  for (const std::int64_t n : kLengths) {
    Vectors v(n, 1.0);
    for (const std::size_t place : places(n)) {
      v.x[place] = x;
      v.y[place] = y;
      if (!right(v.dot(kernel))) return false;
      v.x[place] = v.y[place] = 1.0;
    }
  }
  return true;
}

bool passes_nan(const DotKernel& kernel, std::uint64_t) {
  return right_everywhere(kernel, kNan, 1.0, bits_of_nan) &&
         right_everywhere(kernel, 0.0, kNan, bits_of_nan) &&
         right_everywhere(kernel, -kNan, kInfinity, bits_of_nan);
}

bool passes_infinity(const DotKernel& kernel, std::uint64_t) {
  const auto above = [](double value) { return same_bits(value, kInfinity); };
  const auto below = [](double value) { return same_bits(value, -kInfinity); };
  return right_everywhere(kernel, kInfinity, 1.0, above) &&
         right_everywhere(kernel, -2.0, kInfinity, below) &&
         right_everywhere(kernel, -kInfinity, -kInfinity, above);
}

bool passes_invalid(const DotKernel& kernel, std::uint64_t) {
  if (!right_everywhere(kernel, 0.0, kInfinity, bits_of_nan)) return false;
  for (const std::int64_t n : kLengths) {
    if (n < 2) continue;
    Vectors v(n, 1.0);
    v.x[0] = kInfinity;
    for (const std::size_t place : places(n)) {
      if (place == 0) continue;
      v.x[place] = -kInfinity;
      if (!bits_of_nan(v.dot(kernel))) return false;
      v.x[place] = 1.0;
    }
  }
  return true;
}

bool passes_denormals(const DotKernel& kernel, std::uint64_t seed) {
  return exact_at_scales(kernel, seed, 0x1p-1074, 1.0) &&
         exact_at_scales(kernel, seed, 0x1p-540, 0x1p-534) &&
         exact_at_scales(kernel, seed, 0x1p-1074, 0x1p+500);
}

bool passes_extreme_exponents(const DotKernel& kernel, std::uint64_t seed) {
  return exact_at_scales(kernel, seed, 0x1p+1010, 0x1p-1010) &&
         exact_at_scales(kernel, seed, 0x1p+480, 0x1p+480);
}

bool passes_denormal_mode(const DotKernel& kernel, std::uint64_t) { return kernel.kept_mode; }

bool answers(int (*test)(double), const std::function<bool(double)>& right) {
  if (test == nullptr) return true;
  for (const double value : {kNan, -kNan, kInfinity, -kInfinity, 0.0, -1.0, 1e308, 0x1p-1074}) {
    if ((test(value) != 0) != right(value)) return false;
  }
  return true;
}

bool passes_non_finite_tests(const DotKernel& kernel, std::uint64_t) {
  return answers(kernel.is_nan, bits_of_nan) && answers(kernel.differs_from_itself, bits_of_nan) &&
         answers(kernel.is_infinite, [](double value) { return std::abs(value) == kInfinity; }) &&
         answers(kernel.is_finite, [](double value) { return std::abs(value) < kInfinity; });
}

bool passes_residual_loop(const DotKernel& kernel, std::uint64_t) {
  constexpr int kLimit = 100;
  return kernel.residual_loop == nullptr ||
         (kernel.residual_loop([] { return kNan; }, kLimit) == kLimit &&
          kernel.residual_loop([] { return 1e-9; }, kLimit) == 0);
}

}  // namespace

DotKernel dot_kernel(const KernelLibrary& library) {
  DotKernel kernel;
  kernel.dot = library.function<double(std::int64_t, const double*, const double*)>("leadline_dot");
  if (kernel.dot == nullptr) return kernel;
  if (const auto error_class = library.function<int()>("leadline_dot_class")) {
    kernel.error_class = static_cast<DotClass>(std::clamp(error_class(), 1, 3));
  }
  const KeptFloatingPointMode mode;
  const double one = 1.0;
  kernel.dot(1, &one, &one);
  kernel.kept_mode = library.kept_mode() && mode.kept();
  kernel.is_nan = library.function<int(double)>("leadline_is_nan");
  kernel.differs_from_itself = library.function<int(double)>("leadline_differs_from_itself");
  kernel.is_infinite = library.function<int(double)>("leadline_is_infinite");
  kernel.is_finite = library.function<int(double)>("leadline_is_finite");
  kernel.residual_loop = library.function<int(double (*)(), int)>("leadline_residual_loop");
  return kernel;
}

const std::vector<DotTrial>& dot_trials() {
  static const std::vector<DotTrial> trials{
      {{"lengths",
        "exact for integers, whatever the length from 0 to 67 and the alignment of either array, "
        "and what lies around the arrays is not used"},
       passes_lengths},
      {{"ill_conditioned",
        "with condition numbers up to 2^100 the error is within the bound of the kernel's class: "
        "plain sum, compensated sum, or twice the working precision"},
       passes_ill_conditioned},
      {{"lost_terms",
        "so is it where each of many terms is too small for the sum so far: a compensated sum "
        "keeps them"},
       passes_lost_terms},
      {{"cancellation",
        "products that cancel but for 1 give 1, where every partial sum is exact in any order"},
       passes_cancellation},
      {{"nan", "a NaN anywhere in the data makes the result a NaN"}, passes_nan},
      {{"infinity", "an infinity among finite numbers makes the result one of the right sign"},
       passes_infinity},
      {{"invalid", "infinities of both signs, or 0 times infinity, make the result a NaN"},
       passes_invalid},
      {{"denormals", "denormal data, products and sums are exact where they are in any order"},
       passes_denormals},
      {{"extreme_exponents",
        "so are products of very large with very small numbers, and very large products"},
       passes_extreme_exponents},
      {{"denormal_mode",
        "loading and calling the kernel leaves the processor's treatment of denormals, and its "
        "rounding, as they were for the whole thread"},
       passes_denormal_mode},
      {{"non_finite_tests",
        "isnan, x != x, isinf and isfinite compiled with the kernel's flags say what is so"},
       passes_non_finite_tests},
      {{"residual_loop",
        "`while (!(residual <= 1e-8))` compiled with the kernel's flags does not end on a NaN as "
        "if it had converged"},
       passes_residual_loop},
  };
  return trials;
}

std::uint64_t failed_dot_trials(const DotKernel& kernel, std::uint64_t seed) {
  const std::vector<DotTrial>& trials = dot_trials();
  std::uint64_t failed = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    // A kernel that sets the mode is not to be blamed for more than that.
    const KeptFloatingPointMode mode;
    if (!trials[i].passes(kernel, seed)) failed |= std::uint64_t{1} << i;
  }
  return failed;
}

}  // namespace leadline::probe
