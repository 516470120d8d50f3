// What method `fused` does with a row, against the same node by node.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "applications/fem2d/fused_coarsest.hpp"
#include "applications/fem2d/fused_kernels.hpp"
#include "applications/fem2d/lattice.hpp"

using namespace leadline::probe::fem2d;

namespace {

constexpr std::int64_t kRow = 4;  // an even row with all that it needs around it
// Fewer than are handled together, as many, and more by some.
constexpr std::int64_t kCounts[] = {1, 2, 15, 16, 17, 40, 63};
constexpr double kDouble = 1e-13;
constexpr double kSingle = 1e-6;
template <typename Real>
constexpr double kPrecision = std::is_same_v<Real, float> ? kSingle : kDouble;

const leadline::probe::fem2d::Lattice& lattice() {
  static const leadline::probe::fem2d::Lattice finest = lattices({.level = 3}, {1, 1}, 0).back();
  return finest;
}

template <typename AnyField>
AnyField random_field(unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> draw(-1.0, 1.0);
  AnyField field(lattice());
  for (std::int64_t j = -2; j <= lattice().intervals + 2; ++j) {
    for (std::int64_t i = -2; i <= lattice().intervals + 2; ++i) {
      *field.at(i, j) = static_cast<typename AnyField::Value>(draw(generator));
    }
  }
  return field;
}

template <typename Real, typename AnyField>
SplitRow<Real> split_row(AnyField& field, std::int64_t j) {
  return {field.at(2, j), field.at(3, j)};
}

// Row of K as the problem's definition has it, inside.
template <typename Real>
double product(const SplitField<Real>& p, std::int64_t i, std::int64_t j) {
  const auto around = [&](std::int64_t distance) {
    return double{*p.at(i - distance, j)} + double{*p.at(i + distance, j)} +
           double{*p.at(i, j - distance)} + double{*p.at(i, j + distance)};
  };
  const double centre = *p.at(i, j);
  if (i % 2 == 0 && j % 2 == 0) return (24.0 * centre - 8.0 * around(1) + 2.0 * around(2)) / 6.0;
  return 4.0 / 3.0 * (4.0 * centre - around(1));
}

double squared(double value) { return value * value; }

}  // namespace

TEST_CASE_TEMPLATE("fused: a direction is the scaled residual, the prolonged correction and beta p",
                   Real, float, double) {
  const auto r = random_field<SplitField<double>>(1);
  const auto z = random_field<Field<Real>>(2);
  const auto before = random_field<SplitField<Real>>(3);
  for (const std::int64_t pairs : kCounts) {
    for (const std::int64_t j : {kRow, kRow + 1}) {
      auto p = random_field<SplitField<Real>>(3);
      direct(split_row<Real>(p, j), split_row<const double>(r, j), r.stride(),
             CoarseRows<Real>{z.at(1, j / 2), z.at(1, (j + 1) / 2)}, {0.25, 0.1875}, 0.75, pairs);
      for (std::int64_t i = 0; i < 2 * pairs + 4; ++i) {
        const bool touched = i >= 2 && i < 2 * pairs + 2;
        const double correction = 0.5 * (*z.at(i / 2, j / 2) + *z.at((i + 1) / 2, (j + 1) / 2));
        const double right =
            (i % 2 == 0 ? 0.25 : 0.1875) * *r.at(i, j) + correction + 0.75 * *before.at(i, j);
        CHECK(*p.at(i, j) ==
              doctest::Approx(touched ? right : *before.at(i, j)).epsilon(kPrecision<Real>));
      }
    }
  }
}

TEST_CASE_TEMPLATE("fused: energies are the squared differences along a row and to the rows before",
                   Real, float, double) {
  const auto p = random_field<SplitField<Real>>(4);
  for (const std::int64_t pairs : kCounts) {
    for (const std::int64_t j : {kRow, kRow + 1}) {
      const auto row = split_row<const Real>(p, j);
      const Energy energy = j % 2 == 0 ? even_row_energy(row, p.stride(), pairs)
                                       : odd_row_energy(row, p.stride(), pairs);
      Energy right;
      for (std::int64_t i = 2; i < 2 * pairs + 2; ++i) {
        right.along += 4.0 / 3.0 * squared(*p.at(i, j) - *p.at(i - 1, j));
        right.across += 4.0 / 3.0 * squared(*p.at(i, j) - *p.at(i, j - 1));
        if (i % 2 != 0 || j % 2 != 0) continue;
        right.along -= 1.0 / 3.0 * squared(*p.at(i, j) - *p.at(i - 2, j));
        right.across -= 1.0 / 3.0 * squared(*p.at(i, j) - *p.at(i, j - 2));
      }
      CHECK(energy.along == doctest::Approx(right.along).epsilon(kPrecision<Real>));
      CHECK(energy.across == doctest::Approx(right.across).epsilon(kPrecision<Real>));
    }
  }
}

TEST_CASE_TEMPLATE("fused: solution and residual move along p and K p", Real, float, double) {
  constexpr double kAlpha = 0.3;
  constexpr double kWeight = 0.5;
  const auto p = random_field<SplitField<Real>>(5);
  const auto x_before = random_field<SplitField<double>>(6);
  const auto r_before = random_field<SplitField<double>>(7);
  for (const std::int64_t pairs : kCounts) {
    for (const std::int64_t j : {kRow, kRow + 1}) {
      auto x = random_field<SplitField<double>>(6);
      auto r = random_field<SplitField<double>>(7);
      const auto row = split_row<const Real>(p, j);
      const auto x_row = split_row<double>(x, j);
      const auto r_row = split_row<double>(r, j);
      const Squares squares =
          j % 2 == 0
              ? advance_even_row(x_row, r_row, row, p.stride(), x.stride(), kAlpha, kWeight, pairs)
              : advance_odd_row(x_row, r_row, row, p.stride(), x.stride(), kAlpha, kWeight, pairs);
      Squares right;
      for (std::int64_t i = 0; i < 2 * pairs + 4; ++i) {
        const double step = i >= 2 && i < 2 * pairs + 2 ? kAlpha : 0.0;
        const double residual = *r_before.at(i, j) - kWeight * step * product(p, i, j);
        CHECK(*x.at(i, j) ==
              doctest::Approx(*x_before.at(i, j) + step * *p.at(i, j)).epsilon(kDouble));
        CHECK(*r.at(i, j) == doctest::Approx(residual).epsilon(kDouble));
        if (step != 0.0) (i % 2 == 0 ? right.even : right.odd) += squared(residual);
      }
      CHECK(squares.even == doctest::Approx(right.even).epsilon(kDouble));
      CHECK(squares.odd == doctest::Approx(right.odd).epsilon(kDouble));
    }
  }
}

TEST_CASE_TEMPLATE("fused: the energy of all edges is p'Kp", Real, float, double) {
  // Zero on the boundary and beyond, so that no edge is cut.
  const std::int64_t n = lattice().intervals;
  auto p = random_field<SplitField<Real>>(8);
  for (std::int64_t j = -2; j <= n + 2; ++j) {
    for (std::int64_t i = -2; i <= n + 2; ++i) {
      if (i <= 0 || i >= n || j <= 0 || j >= n) *p.at(i, j) = 0;
    }
  }
  double sum = 0.0;
  double right = 0.0;
  for (std::int64_t j = 1; j <= n; ++j) {
    const SplitRow<const Real> row{p.at(0, j), p.at(1, j)};
    const Energy energy = j % 2 == 0 ? even_row_energy(row, p.stride(), n / 2 + 1)
                                     : odd_row_energy(row, p.stride(), n / 2 + 1);
    sum += energy.along + energy.across;
    for (std::int64_t i = 1; i < n && j < n; ++i) right += *p.at(i, j) * product(p, i, j);
  }
  CHECK(sum == doctest::Approx(right).epsilon(kPrecision<Real>));
}

TEST_CASE_TEMPLATE("fused: the restriction is the transpose of the prolongation", AnyField,
                   SplitField<double>, Field<float>, Field<double>) {
  constexpr bool kSplit = std::is_same_v<AnyField, SplitField<double>>;
  using Real = std::conditional_t<kSplit, float, typename AnyField::Value>;
  const auto r = random_field<AnyField>(9);
  for (const std::int64_t count : kCounts) {
    std::vector<Real> coarse(static_cast<std::size_t>(count) + 1, 7);
    double squares = 0.0;
    if constexpr (kSplit) {
      squares =
          restrict_split(coarse.data(), 0, split_row<const double>(r, kRow), r.stride(), count);
    } else {
      squares = restrict_row(coarse.data(), r.at(2, kRow), r.stride(), count);
    }
    double right_squares = 0.0;
    for (std::int64_t k = 0; k < count; ++k) {
      // What the prolongation gives from 1 at this coarse node.
      const std::int64_t i = 2 * (k + 1);
      double right = *r.at(i, kRow);
      for (const auto& [east, north] :
           {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}}) {
        right += 0.5 * *r.at(i + east, kRow + north);
      }
      right_squares += squared(right);
      CHECK(coarse[static_cast<std::size_t>(k)] == doctest::Approx(right).epsilon(kSingle));
    }
    CHECK(coarse.back() == 7);
    CHECK(squares == doctest::Approx(right_squares).epsilon(kSingle));
  }
}

TEST_CASE_TEMPLATE(
    "fused: a coarser correction is the scaled residual and the prolonged coarser one", Real, float,
    double) {
  const auto r = random_field<Field<Real>>(10);
  const auto coarse = random_field<Field<Real>>(11);
  for (const std::int64_t pairs : kCounts) {
    for (const std::int64_t j : {kRow, kRow + 1}) {
      std::vector<Real> z(static_cast<std::size_t>(2 * pairs) + 1, 7);
      prolong(z.data(), r.at(2, j), r.stride(), {coarse.at(1, j / 2), coarse.at(1, (j + 1) / 2)},
              0.25, pairs);
      for (std::int64_t i = 2; i < 2 * pairs + 2; ++i) {
        const double correction =
            0.5 * (*coarse.at(i / 2, j / 2) + *coarse.at((i + 1) / 2, (j + 1) / 2));
        CHECK(z[static_cast<std::size_t>(i) - 2] ==
              doctest::Approx(0.25 * *r.at(i, j) + correction).epsilon(kPrecision<Real>));
      }
      CHECK(z.back() == 7);
    }
  }
}

TEST_CASE("fused: the coarsest equations are solved exactly, with sides where u is given or not") {
  for (const Problem problem : {Problem::kA, Problem::kB}) {
    const leadline::probe::fem2d::Lattice coarsest =
        lattices({.level = 3, .problem = problem}, {1, 1}, 0).front();
    const Rectangle& unknowns = coarsest.unknowns;
    Field<float> residual(coarsest);
    Field<float> solution(coarsest);
    for (std::int64_t j = unknowns.j_begin; j < unknowns.j_end; ++j) {
      for (std::int64_t i = unknowns.i_begin; i < unknowns.i_end; ++i) {
        *residual.at(i, j) = static_cast<float>(std::sin(3.0 * static_cast<double>(i + 10 * j)));
      }
    }
    const double both = CoarsestSolver(coarsest).solve(residual, solution);
    double right_both = 0.0;
    for (std::int64_t j = unknowns.j_begin; j < unknowns.j_end; ++j) {
      for (std::int64_t i = unknowns.i_begin; i < unknowns.i_end; ++i) {
        // The sum over the two triangles beside each edge that leads away.
        double sum = 0.0;
        for (const auto& [east, north] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
          if (i + east > coarsest.intervals || j + north > coarsest.intervals) continue;
          const bool on_side = east != 0 ? j == coarsest.intervals : i == coarsest.intervals;
          sum += (on_side ? 0.5 : 1.0) * (*solution.at(i, j) - *solution.at(i + east, j + north));
        }
        CHECK(sum == doctest::Approx(*residual.at(i, j)).epsilon(1e-5).scale(1.0));
        right_both += double{*residual.at(i, j)} * *solution.at(i, j);
      }
    }
    CHECK(both == doctest::Approx(right_both).epsilon(1e-5));
  }
}
