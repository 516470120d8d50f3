// What the answer of a dot product must be where a fast one may go wrong. Trials look at bits, so
// that no flag of any compiler can answer for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/node/kernel_library.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {

// The error that a kernel promises, with u = 2^-53, s the exact sum, A the sum of |x_i y_i| and
// g = n u / (1 - n u).
enum class DotClass {
  kPlain = 1,        // g A, of any order (Higham, Accuracy and Stability, 2nd ed., section 3.1)
  kCompensated = 2,  // (3 u + 4 n u^2) A: rounded products, compensated sum (ibid., section 4.3)
  kDoubled = 3,      // u |s| + g^2 A (Ogita, Rump, Oishi, SISC 26(6), 2005, proposition 5.5)
};

// A kernel as its library offers it; a function that it lacks is null, and not tried.
struct DotKernel {
  double (*dot)(std::int64_t n, const double* x, const double* y) = nullptr;
  DotClass error_class = DotClass::kPlain;
  // Nothing has changed the processor's mode since before the library was loaded.
  bool kept_mode = true;
  int (*is_nan)(double) = nullptr;
  int (*differs_from_itself)(double) = nullptr;
  int (*is_infinite)(double) = nullptr;
  int (*is_finite)(double) = nullptr;
  int (*residual_loop)(double (*residual)(), int limit) = nullptr;
};

// The kernel in a library, which is called once; `dot` is null where there is none.
DotKernel dot_kernel(const KernelLibrary& library);

// From -1000 to 1000: products of such numbers, and sums of them, are exact in any order.
constexpr std::int64_t small_integer(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::int64_t>((content_word(seed, index) >> 32U) % 2001U) - 1000;
}

struct DotTrial {
  Trial trial;
  bool (*passes)(const DotKernel& kernel, std::uint64_t seed);
};

const std::vector<DotTrial>& dot_trials();

// Bit i is set where trial i fails. Takes some milliseconds.
std::uint64_t failed_dot_trials(const DotKernel& kernel, std::uint64_t seed);

}  // namespace leadline::probe
