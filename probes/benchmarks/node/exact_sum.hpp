// Sums without any rounding error, to hold others against (J. R. Shewchuk, "Adaptive precision
// floating-point arithmetic and fast robust geometric predicates", Discrete & Computational
// Geometry 18, 1997).
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#ifdef __FAST_MATH__
#error "reordered arithmetic is not exact"
#endif

namespace leadline::probe {

// The sum of what was added, kept as numbers whose digits do not overlap. Nothing may overflow.
class ExactSum {
 public:
  void add(double term) {
    std::size_t kept = 0;
    for (double part : parts_) {
      if (std::abs(term) < std::abs(part)) std::swap(term, part);
      const double sum = term + part;
      const double error = part - (sum - term);
      if (error != 0.0) parts_[kept++] = error;
      term = sum;
    }
    parts_.resize(kept);
    parts_.push_back(term);
  }

  // Exact where the product is above 2^-969, so that its error does not underflow.
  void add_product(double x, double y) {
    const double product = x * y;
    add(std::fma(x, y, -product));
    add(product);
  }

  // Within one unit in the last place.
  double value() const {
    double sum = 0.0;
    for (const double part : parts_) sum += part;
    return sum;
  }

 private:
  std::vector<double> parts_;  // from the smallest to the largest
};

}  // namespace leadline::probe
