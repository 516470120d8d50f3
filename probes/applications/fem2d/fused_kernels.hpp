// What method `fused` does with a piece of a row. Rows of the finest lattice are split: their even
// nodes lie together, and their odd ones. Pointers are to the piece's first node of either kind;
// the same place in the next row is `stride` further, and `pairs` counts the even nodes, each with
// the odd one after it. Solution, residual and all sums are of double precision; directions and the
// preconditioner are of that, too, or of single.
#pragma once

#include <cstdint>

namespace leadline::probe::fem2d {

template <typename Real>
struct SplitRow {
  Real* even;
  Real* odd;

  SplitRow operator+(std::int64_t pairs) const { return {even + pairs, odd + pairs}; }
};

// The coarse rows that a finer one lies between; both are the same where it lies on one. The
// prolongation is linear on the triangles, whose diagonals run from south-west to north-east.
template <typename Real>
struct CoarseRows {
  const Real* south;
  const Real* north;

  CoarseRows operator+(std::int64_t nodes) const { return {south + nodes, north + nodes}; }
};

// The inverse diagonal at even and at odd nodes of a row.
struct Scaling {
  double even;
  double odd;
};

// p = D^-1 r + P z + beta p.
void direct(SplitRow<float> p, SplitRow<const double> r, std::int64_t r_stride, CoarseRows<float> z,
            Scaling inverse_diagonal, double beta, std::int64_t pairs);
void direct(SplitRow<double> p, SplitRow<const double> r, std::int64_t r_stride,
            CoarseRows<double> z, Scaling inverse_diagonal, double beta, std::int64_t pairs);

// K is a sum of squared differences: 4/3 of those between neighbours, less 1/3 of those between
// even nodes that are two apart.
inline constexpr double kNear = 4.0 / 3.0;
inline constexpr double kFar = 1.0 / 3.0;

// Their sums along the row and to the rows before.
struct Energy {
  double along = 0.0;
  double across = 0.0;
};
Energy odd_row_energy(SplitRow<const float> p, std::int64_t stride, std::int64_t pairs);
Energy even_row_energy(SplitRow<const float> p, std::int64_t stride, std::int64_t pairs);
Energy odd_row_energy(SplitRow<const double> p, std::int64_t stride, std::int64_t pairs);
Energy even_row_energy(SplitRow<const double> p, std::int64_t stride, std::int64_t pairs);

// Sums of r^2.
struct Squares {
  double even = 0.0;
  double odd = 0.0;
};
// x += alpha p, r -= weight alpha K p.
Squares advance_odd_row(SplitRow<double> x, SplitRow<double> r, SplitRow<const float> p,
                        std::int64_t stride, std::int64_t r_stride, double alpha, double weight,
                        std::int64_t pairs);
Squares advance_even_row(SplitRow<double> x, SplitRow<double> r, SplitRow<const float> p,
                         std::int64_t stride, std::int64_t r_stride, double alpha, double weight,
                         std::int64_t pairs);
Squares advance_odd_row(SplitRow<double> x, SplitRow<double> r, SplitRow<const double> p,
                        std::int64_t stride, std::int64_t r_stride, double alpha, double weight,
                        std::int64_t pairs);
Squares advance_even_row(SplitRow<double> x, SplitRow<double> r, SplitRow<const double> p,
                         std::int64_t stride, std::int64_t r_stride, double alpha, double weight,
                         std::int64_t pairs);

// The transpose of the prolongation; returns the sum of squares of the coarse nodes.
double restrict_split(float* coarse, std::int64_t coarse_stride, SplitRow<const double> r,
                      std::int64_t stride, std::int64_t count);
double restrict_split(double* coarse, std::int64_t coarse_stride, SplitRow<const double> r,
                      std::int64_t stride, std::int64_t count);

// On coarser lattices, whose rows are not split: the transpose, and z = D^-1 r + P z.
double restrict_row(float* coarse, const float* r, std::int64_t stride, std::int64_t count);
void prolong(float* z, const float* r, std::int64_t stride, CoarseRows<float> coarse,
             double inverse_diagonal, std::int64_t pairs);
double restrict_row(double* coarse, const double* r, std::int64_t stride, std::int64_t count);
void prolong(double* z, const double* r, std::int64_t stride, CoarseRows<double> coarse,
             double inverse_diagonal, std::int64_t pairs);

}  // namespace leadline::probe::fem2d
