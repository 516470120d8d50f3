#include "applications/fem2d/multigrid_passes.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/processor.hpp"
#include "applications/fem2d/multigrid_operators.hpp"

namespace leadline::probe::fem2d::multigrid {
namespace {

// Rows of a coarser lattice's field as their nodes follow each other, from the fine part's first.
template <typename Real>
class CoarseRows {
 public:
  template <typename Other>
  CoarseRows(const Field<Real>& field, const Part& part, Offset offset, Scratch<Other>& scratch)
      : field_(field),
        offset_(offset),
        begin_(offset.columns / 2),
        end_((offset.columns + part.columns.intervals / 2) / 2 + 1),
        row_(reinterpret_cast<Real*>(scratch.row())),
        next_(reinterpret_cast<Real*>(scratch.row())) {
    merge(0);
  }

  // To be called before row 1, 2, ... of the fine lattice: has its row below, and above.
  LEADLINE_INLINE void step(Index j) {
    if (j % 2 == 0) return;
    std::swap(row_, next_);
    merge((j + 1) / 2);
  }
  // Coarse row j / 2, or the one on each side of an odd j.
  LEADLINE_INLINE const Real* at_or_below(Index j) const {
    return (j % 2 == 0 ? next_ : row_) + offset_.columns;
  }
  LEADLINE_INLINE const Real* above() const { return next_ + offset_.columns; }

 private:
  LEADLINE_INLINE void merge(Index coarse_j) {
    const Real* even = field_.even(coarse_j + offset_.rows);
    const Real* odd = field_.odd(coarse_j + offset_.rows);
    Real* __restrict to = next_;
    for (Index k = begin_; k < end_; ++k) {
      to[2 * k] = even[k];
      to[2 * k + 1] = odd[k];
    }
  }

  const Field<Real>& field_;
  Offset offset_;
  Index begin_;
  Index end_;
  Real* row_;
  Real* next_;
};

// What is added to row j: to black nodes, and to corners where they enter their own relaxation.
template <bool kCorners, typename Real>
LEADLINE_INLINE void correct(const Rows<Real>& x, CoarseRows<float>& coarse, Index j) {
  coarse.step(j);
  const float* below = coarse.at_or_below(j);
  const float* above = coarse.above();
  Real* __restrict even = x.even(j);
  Real* __restrict odd = x.odd(j);
  if (j % 2 != 0) {
    const Index end = x.even_end();
    for (Index k = 1; k < end; ++k) even[k] += 0.5f * (below[k] + above[k]);
  } else {
    if constexpr (kCorners) {
      const Index end = x.even_end();
      for (Index k = 1; k < end; ++k) even[k] += below[k];
    }
    const Index end = x.odd_end();
    for (Index k = 0; k < end; ++k) odd[k] += 0.5f * (below[k] + below[k + 1]);
  }
  x.mirror(j);
}

// Corners are the coarse lattice's nodes; cell centres: u = (sum of 4 corners) / 4 + h^2 / 2 f.
LEADLINE_INLINE void interpolate_red(const Rows<double>& x, CoarseRows<double>& coarse, double load,
                                     Index j) {
  coarse.step(j);
  const double* below = coarse.at_or_below(j);
  const double* above = coarse.above();
  if (j % 2 == 0) {
    double* __restrict even = x.even(j);
    const Index end = x.even_end();
    for (Index k = 1; k < end; ++k) even[k] = below[k];
  } else {
    double* __restrict odd = x.odd(j);
    const Index end = x.odd_end();
    for (Index k = 0; k < end; ++k) {
      odd[k] = 0.25 * ((below[k] + below[k + 1]) + (above[k] + above[k + 1])) + 0.5 * load;
    }
  }
  x.mirror(j);
}

// Restricts the residual at red nodes, row by row, and sums the squares of own ones.
template <typename Operator>
class Restriction {
 public:
  using Real = typename Operator::Real;

  Restriction(const Part& part, Field<float>& coarse, Offset offset, Scratch<Real>& scratch)
      : part_(part),
        coarse_(coarse),
        offset_(offset),
        begin_(offset.columns / 2),
        end_((offset.columns + part.columns.intervals / 2) / 2 + 1),
        residual_(scratch.row()),
        below_(scratch.row()),
        above_(scratch.row()),
        nodes_(reinterpret_cast<float*>(scratch.row())) {}

  // To be called for rows 1, 2, ... when they and those within distance 1 are relaxed.
  template <bool kNorm>
  LEADLINE_INLINE void step(const Operator& op, Index j) {
    const Rows<Real>& rows = op.rows();
    if (j % 2 != 0) {
      op.residual_odd(j, residual_);
      const Index half = rows.odd_end();
      if (rows.mirrored()) residual_[half] = residual_[half - 1];
      if constexpr (kNorm) add(j, part_.columns.own_begin / 2, part_.columns.own_end / 2);
      std::swap(below_, above_);
      Real* __restrict above = above_;
      const Real* residual = residual_;
      const Index end = rows.even_end();
      for (Index k = 1; k < end; ++k) above[k] = residual[k - 1] + residual[k];
      if (j > 1) finish<kNorm>(op, j - 1, below_, above_);
    } else if (j == rows.top()) {
      finish<kNorm>(op, j, above_, above_);
    }
  }
  double sum_of_squares() const { return sum_; }

 private:
  template <bool kNorm>
  LEADLINE_INLINE void finish(const Operator& op, Index j, const Real* below, const Real* above) {
    op.residual_even(j, residual_);
    const Index end = op.rows().even_end();
    if constexpr (kNorm) {
      const Index own_end = std::min<Index>((part_.columns.own_end + 1) / 2, end);
      add(j, std::max<Index>(part_.columns.own_begin / 2, 1), own_end);
      // The mirror's nodes have half of the residual.
      if (own_end == op.rows().odd_end() + 1) add(j, own_end - 1, own_end, -0.75);
    }
    float* __restrict nodes = nodes_ + offset_.columns;
    const Real* residual = residual_;
    for (Index k = 1; k < end; ++k) {
      nodes[k] = static_cast<float>(residual[k] + Real(0.25) * (below[k] + above[k]));
    }
    float* __restrict even = coarse_.even(j / 2 + offset_.rows);
    float* __restrict odd = coarse_.odd(j / 2 + offset_.rows);
    const float* merged = nodes_;
    for (Index k = begin_; k < end_; ++k) {
      even[k] = merged[2 * k];
      odd[k] = merged[2 * k + 1];
    }
  }
  LEADLINE_INLINE void add(Index j, Index begin, Index end, double weight = 1.0) {
    if (j < part_.rows.own_begin || j >= part_.rows.own_end) return;
    if (j == part_.rows.intervals) weight *= 0.25;
    sum_ += weight * squares(residual_, begin, end);
  }

  const Part& part_;
  Field<float>& coarse_;
  Offset offset_;
  Index begin_;
  Index end_;
  Real* residual_;
  Real* below_;
  Real* above_;
  float* nodes_;
  double sum_ = 0.0;
};

// Scratch rows of the passes, each long enough for the fine and the coarse lattice.
constexpr int kCoarseRowsCount = 2;
constexpr int kRestrictionRows = 4;
constexpr int kQuadraticRows = 2 * kSweeps;

std::int64_t longest(std::int64_t fine_stride, std::int64_t coarse_stride) {
  return std::max(fine_stride, coarse_stride);
}

// Row j has been prepared up to `front`: the sweeps follow it, then the residual. The first sweep
// is `lag` rows behind.
template <typename Operator, bool kNorm>
LEADLINE_INLINE void sweep_and_restrict(Operator& op, Restriction<Operator>& restriction,
                                        Index front, Index lag) {
  const Rows<typename Operator::Real>& rows = op.rows();
  Index j = front - lag;
  for (int sweep = 0; sweep < kSweeps; ++sweep, j -= 2) {
    if (rows.relaxed(j)) op.red(j, sweep);
    if (rows.relaxed(j - 1)) op.black(j - 1);
  }
  if (rows.relaxed(j)) restriction.template step<kNorm>(op, j);
}

constexpr Index kQuadraticLag = 2;
constexpr Index kQuadraticEnd = kQuadraticLag + Index{2} * kSweeps;

}  // namespace

Offset offset(const Part& fine, const Part& coarse) {
  return {fine.columns.first / 2 - coarse.columns.first, fine.rows.first / 2 - coarse.rows.first};
}

void descend(const Linear& level, const Part& coarse_part, Field<float>& coarse_right_side) {
  by_widest_vectors([&]() LEADLINE_INLINED {
    Scratch<float> scratch(level.rows,
                           longest(level.correction.stride(), coarse_right_side.stride()),
                           kRestrictionRows);
    LinearOperator op(level);
    Restriction<LinearOperator> restriction(level.part, coarse_right_side,
                                            offset(level.part, coarse_part), scratch);
    const Rows<float>& rows = op.rows();
    for (Index front = 1; front <= rows.last() + 2; ++front) {
      if (rows.relaxed(front)) op.red_from_zero(front);
      if (rows.relaxed(front - 1)) op.black(front - 1);
      if (rows.relaxed(front - 2)) restriction.template step<false>(op, front - 2);
    }
  });
}

void ascend(const Linear& level, const Part& coarse_part, const Field<float>& coarse_correction) {
  by_widest_vectors([&]() LEADLINE_INLINED {
    Scratch<float> scratch(level.rows,
                           longest(level.correction.stride(), coarse_correction.stride()),
                           kCoarseRowsCount);
    LinearOperator op(level);
    CoarseRows<float> coarse(coarse_correction, level.part, offset(level.part, coarse_part),
                             scratch);
    const Rows<float>& rows = op.rows();
    for (Index front = 1; front <= rows.last() + 4; ++front) {
      if (rows.relaxed(front)) correct<false>(rows, coarse, front);
      if (rows.relaxed(front - 1)) op.red(front - 1, 0);
      if (rows.relaxed(front - 2)) op.black(front - 2);
      if (rows.relaxed(front - 3)) op.red(front - 3, 0);
      if (rows.relaxed(front - 4)) op.black(front - 4);
    }
  });
}

void solve_coarsest(const Linear& level) {
  constexpr int kEnough = 8;
  LinearOperator op(level);
  const Rows<float>& rows = op.rows();
  for (Index j = 1; j <= rows.last(); ++j) op.red_from_zero(j);
  for (int sweep = 0; sweep < kEnough; ++sweep) {
    for (Index j = 1; j <= rows.last(); ++j) op.black(j);
    for (Index j = 1; j <= rows.last(); ++j) op.red(j, 0);
  }
}

double begin(const Quadratic& level, const Part& coarse_part, const Field<double>& coarse_solution,
             Field<float>& coarse_right_side) {
  return by_widest_vectors([&]() LEADLINE_INLINED {
    const Offset at = offset(level.part, coarse_part);
    Scratch<double> scratch(level.rows, longest(level.solution.stride(), coarse_solution.stride()),
                            kCoarseRowsCount + kRestrictionRows + kQuadraticRows);
    QuadraticOperator op(level, scratch);
    CoarseRows<double> coarse(coarse_solution, level.part, at, scratch);
    Restriction<QuadraticOperator> restriction(level.part, coarse_right_side, at, scratch);
    const Rows<double>& rows = op.rows();
    for (Index front = 1; front <= rows.last() + kQuadraticEnd; ++front) {
      if (rows.relaxed(front)) interpolate_red(rows, coarse, level.load, front);
      if (rows.relaxed(front - 1)) op.black(front - 1);
      sweep_and_restrict<QuadraticOperator, true>(op, restriction, front, kQuadraticLag);
    }
    return restriction.sum_of_squares();
  });
}

double improve(const Quadratic& level, const Part& coarse_part,
               const Field<float>& coarse_correction, Field<float>& coarse_right_side) {
  return by_widest_vectors([&]() LEADLINE_INLINED {
    const Offset at = offset(level.part, coarse_part);
    Scratch<double> scratch(level.rows,
                            longest(level.solution.stride(), coarse_correction.stride()),
                            kCoarseRowsCount + kRestrictionRows + kQuadraticRows);
    QuadraticOperator op(level, scratch);
    CoarseRows<float> coarse(coarse_correction, level.part, at, scratch);
    Restriction<QuadraticOperator> restriction(level.part, coarse_right_side, at, scratch);
    const Rows<double>& rows = op.rows();
    for (Index front = 1; front <= rows.last() + kQuadraticEnd; ++front) {
      if (rows.relaxed(front)) correct<true>(rows, coarse, front);
      sweep_and_restrict<QuadraticOperator, true>(op, restriction, front, kQuadraticLag);
    }
    return restriction.sum_of_squares();
  });
}

}  // namespace leadline::probe::fem2d::multigrid
