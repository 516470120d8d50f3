// What relaxes a row of one lattice, and what computes its residual, for multigrid's passes. All of
// it is inlined into them, which are compiled for several instruction sets.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "applications/fem2d/multigrid_passes.hpp"

#define LEADLINE_INLINE inline __attribute__((always_inline))

namespace leadline::probe::fem2d::multigrid {

using Index = std::ptrdiff_t;

// Rows of scratch memory, one after the other.
template <typename Real>
class Scratch {
 public:
  Scratch(std::vector<Real>& memory, std::int64_t length, int rows) : length_(length + kMargin) {
    const auto size = static_cast<std::size_t>(length_ * rows + kMargin);
    if (memory.size() < size) memory.resize(size);
    next_ = memory.data() + kMargin;
  }
  Real* row() { return std::exchange(next_, next_ + length_); }

 private:
  static constexpr std::int64_t kMargin = 64 / sizeof(Real);
  std::int64_t length_;
  Real* next_;
};

// The rows of a field that lie beyond a mirror are those before it.
template <typename Real>
class Rows {
 public:
  Rows(const Part& part, Field<Real>& field)
      : field_(field),
        half_(part.columns.intervals / 2),
        last_(part.rows.last()),
        top_(part.rows.intervals),
        mirrored_(part.columns.mirrored) {}

  LEADLINE_INLINE Real* even(Index j) const { return field_.even(inside(j)); }
  LEADLINE_INLINE Real* odd(Index j) const { return field_.odd(inside(j)); }
  LEADLINE_INLINE bool relaxed(Index j) const { return 1 <= j && j <= last_; }
  Index last() const { return last_; }
  Index top() const { return top_; }
  // Even nodes 1 .. even_end() - 1 and odd nodes 0 .. odd_end() - 1 of a row are relaxed.
  LEADLINE_INLINE Index even_end() const { return half_ + mirrored_; }
  LEADLINE_INLINE Index odd_end() const { return half_; }
  bool mirrored() const { return mirrored_; }
  // After nodes of row j have changed.
  LEADLINE_INLINE void mirror(Index j) const {
    if (!mirrored_) return;
    even(j)[half_ + 1] = even(j)[half_ - 1];
    odd(j)[half_] = odd(j)[half_ - 1];
  }

 private:
  LEADLINE_INLINE Index inside(Index j) const { return j <= top_ ? j : 2 * top_ - j; }

  Field<Real>& field_;
  Index half_;
  Index last_;
  Index top_;
  bool mirrored_;
};

struct Constant {
  double value;
  LEADLINE_INLINE double operator[](Index) const { return value; }
};

template <typename Real, typename Load>
LEADLINE_INLINE void relax(Real* __restrict to, const Real* west, const Real* east,
                           const Real* south, const Real* north, Load load, Index begin,
                           Index end) {
  for (Index k = begin; k < end; ++k) {
    to[k] = Real(0.25) * ((west[k] + east[k]) + (south[k] + north[k]) + load[k]);
  }
}

template <typename Real, typename Load>
LEADLINE_INLINE void subtract(Real* __restrict to, const Real* middle, const Real* west,
                              const Real* east, const Real* south, const Real* north, Load load,
                              Real factor, Index begin, Index end) {
  for (Index k = begin; k < end; ++k) {
    to[k] = factor * ((west[k] + east[k]) + (south[k] + north[k]) + load[k] - 4 * middle[k]);
  }
}

template <typename Real>
LEADLINE_INLINE double squares(const Real* values, Index begin, Index end) {
  constexpr int kLanes = 16;
  std::array<double, kLanes> sums{};
  Index k = begin;
  for (; k + kLanes <= end; k += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) sums[lane] += values[k + lane] * values[k + lane];
  }
  double sum = 0.0;
  for (; k < end; ++k) sum += values[k] * values[k];
  for (const double part : sums) sum += part;
  return sum;
}

// Five points, with a right-hand side.
class LinearOperator {
 public:
  using Real = float;

  explicit LinearOperator(const Linear& level)
      : x_(level.part, level.correction), load_(level.right_side) {}

  const Rows<float>& rows() const { return x_; }

  LEADLINE_INLINE void red_from_zero(Index j) {
    const float* load = j % 2 == 0 ? load_.even(j) : load_.odd(j);
    float* __restrict to = j % 2 == 0 ? x_.even(j) : x_.odd(j);
    const Index end = j % 2 == 0 ? x_.even_end() : x_.odd_end();
    for (Index k = 1 - j % 2; k < end; ++k) to[k] = 0.25f * load[k];
    x_.mirror(j);
  }
  LEADLINE_INLINE void red(Index j, int) { j % 2 == 0 ? relax_even(j) : relax_odd(j); }
  LEADLINE_INLINE void black(Index j) { j % 2 == 0 ? relax_odd(j) : relax_even(j); }
  LEADLINE_INLINE void residual_odd(Index j, float* to) const {
    subtract(to, x_.odd(j), x_.even(j), x_.even(j) + 1, x_.odd(j - 1), x_.odd(j + 1), load_.odd(j),
             1.0f, 0, x_.odd_end());
  }
  LEADLINE_INLINE void residual_even(Index j, float* to) const {
    subtract(to, x_.even(j), x_.odd(j) - 1, x_.odd(j), x_.even(j - 1), x_.even(j + 1),
             load_.even(j), 1.0f, 1, x_.even_end());
  }

 private:
  LEADLINE_INLINE void relax_even(Index j) {
    relax(x_.even(j), x_.odd(j) - 1, x_.odd(j), x_.even(j - 1), x_.even(j + 1), load_.even(j), 1,
          x_.even_end());
    x_.mirror(j);
  }
  LEADLINE_INLINE void relax_odd(Index j) {
    relax(x_.odd(j), x_.even(j), x_.even(j) + 1, x_.odd(j - 1), x_.odd(j + 1), load_.odd(j), 0,
          x_.odd_end());
    x_.mirror(j);
  }

  Rows<float> x_;
  const Field<float>& load_;
};

class QuadraticOperator {
 public:
  using Real = double;

  QuadraticOperator(const Quadratic& level, Scratch<double>& scratch)
      : x_(level.part, level.solution), load_{level.load} {
    for (auto& [last, before] : old_) {
      last = scratch.row();
      before = scratch.row();
      std::copy_n(x_.even(0), x_.odd_end() + 2, last);
    }
  }

  const Rows<double>& rows() const { return x_; }

  LEADLINE_INLINE void red(Index j, int sweep) {
    if (j % 2 == 0) {
      relax_corners(j, old_[sweep]);
    } else {
      relax(x_.odd(j), x_.even(j), x_.even(j) + 1, x_.odd(j - 1), x_.odd(j + 1), load_, 0,
            x_.odd_end());
    }
    x_.mirror(j);
  }
  LEADLINE_INLINE void black(Index j) {
    if (j % 2 == 0) {
      relax(x_.odd(j), x_.even(j), x_.even(j) + 1, x_.odd(j - 1), x_.odd(j + 1), load_, 0,
            x_.odd_end());
    } else {
      relax(x_.even(j), x_.odd(j) - 1, x_.odd(j), x_.even(j - 1), x_.even(j + 1), load_, 1,
            x_.even_end());
    }
    x_.mirror(j);
  }
  LEADLINE_INLINE void residual_odd(Index j, double* to) const {
    subtract(to, x_.odd(j), x_.even(j), x_.even(j) + 1, x_.odd(j - 1), x_.odd(j + 1), load_,
             4.0 / 3.0, 0, x_.odd_end());
  }
  LEADLINE_INLINE void residual_even(Index j, double* __restrict to) const {
    const double* x = x_.even(j);
    const double* east = x_.odd(j);
    const double* south = x_.even(j - 1);
    const double* north = x_.even(j + 1);
    const double* souths = x_.even(j - 2);
    const double* norths = x_.even(j + 2);
    const Index end = x_.even_end();
    for (Index k = 1; k < end; ++k) {
      const double near = (east[k - 1] + east[k]) + (south[k] + north[k]);
      const double far = (x[k - 1] + x[k + 1]) + (souths[k] + norths[k]);
      to[k] = 4.0 / 3.0 * near - 1.0 / 3.0 * far - 4.0 * x[k];
    }
  }

 private:
  // Values before this sweep of the corners' last two rows.
  struct Old {
    double* last;
    double* before;
  };

  // All at once: their own kind enters with the values before.
  LEADLINE_INLINE void relax_corners(Index j, Old& old) {
    std::swap(old.last, old.before);
    double* __restrict x = x_.even(j);
    double* __restrict last = old.last;
    const Index end = x_.even_end();
    const Index nodes = end + 1;
    for (Index k = 0; k < nodes; ++k) last[k] = x[k];
    const double* east = x_.odd(j);
    const double* south = x_.even(j - 1);
    const double* north = x_.even(j + 1);
    const double* souths = old.before;
    const double* norths = j + 2 <= x_.top() ? x_.even(j + 2) : souths;
    for (Index k = 1; k < end; ++k) {
      const double near = (east[k - 1] + east[k]) + (south[k] + north[k]);
      const double far = (last[k - 1] + last[k + 1]) + (souths[k] + norths[k]);
      x[k] = 1.0 / 3.0 * near - 1.0 / 12.0 * far;
    }
  }

  Rows<double> x_;
  Constant load_;
  std::array<Old, kSweeps> old_{};
};

}  // namespace leadline::probe::fem2d::multigrid
