// Multigrid's passes against the same steps taken one after the other on whole arrays, its parts,
// and how fast its cycles converge.
#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "applications/fem2d/method.hpp"
#include "applications/fem2d/multigrid_field.hpp"
#include "applications/fem2d/multigrid_parts.hpp"
#include "applications/fem2d/multigrid_passes.hpp"

using namespace leadline::probe;
using namespace leadline::probe::fem2d;
namespace mg = leadline::probe::fem2d::multigrid;

namespace {

using Index = std::int64_t;

int ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Numbers in [-1, 1] without order, of few digits: sums of some are exact in single precision.
double drawn(Index k) {
  std::uint64_t x = static_cast<std::uint64_t>(k + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9u;
  return static_cast<double>((x ^ (x >> 29)) >> 52) * 0x1p-11 - 1.0;
}

// All nodes of a part and, beyond its mirrors, those that they show.
struct Grid {
  explicit Grid(const mg::Part& part)
      : part(part),
        width(part.columns.intervals + 1),
        values(static_cast<std::size_t>(width * (part.rows.intervals + 1))) {}

  static Index seen(Index k, Index intervals) { return k <= intervals ? k : 2 * intervals - k; }
  double& at(Index i, Index j) {
    return values[static_cast<std::size_t>(seen(j, part.rows.intervals) * width +
                                           seen(i, part.columns.intervals))];
  }
  double near(Index i, Index j) {
    return at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
  }
  double far(Index i, Index j) { return at(i - 2, j) + at(i + 2, j) + at(i, j - 2) + at(i, j + 2); }
  template <typename Each>
  void for_relaxed(Each&& each) {
    for (Index j = 1; j <= part.rows.last(); ++j) {
      for (Index i = 1; i <= part.columns.last(); ++i) each(i, j);
    }
  }

  mg::Part part;
  Index width;
  std::vector<double> values;
};

bool corner(Index i, Index j) { return i % 2 == 0 && j % 2 == 0; }
bool red(Index i, Index j) { return (i + j) % 2 == 0; }

// What multiplies the unknowns, and the right-hand side, as one row of K divided by its factor.
struct Equations {
  bool quadratic;
  double load;
  Grid* right_side;

  double residual(Grid& x, Index i, Index j) const {
    if (!quadratic) return right_side->at(i, j) + x.near(i, j) - 4 * x.at(i, j);
    if (!corner(i, j)) return 4.0 / 3.0 * (load + x.near(i, j) - 4 * x.at(i, j));
    return 4.0 / 3.0 * x.near(i, j) - x.far(i, j) / 3.0 - 4 * x.at(i, j);
  }
  double diagonal(Index i, Index j) const { return quadratic && !corner(i, j) ? 16.0 / 3.0 : 4.0; }
};

// Jacobi's method on one colour, for which it is Gauss and Seidel's but for corners.
void relax(Grid& x, const Equations& equations, bool colour) {
  Grid changed = x;
  x.for_relaxed([&](Index i, Index j) {
    if (red(i, j) == colour) {
      changed.at(i, j) += equations.residual(x, i, j) / equations.diagonal(i, j);
    }
  });
  x = changed;
}

void sweep(Grid& x, const Equations& equations, int sweeps) {
  for (int k = 0; k < sweeps; ++k) {
    relax(x, equations, true);
    relax(x, equations, false);
  }
}

void prolong(Grid& x, Grid& coarse, mg::Offset at) {
  x.for_relaxed([&](Index i, Index j) {
    for (const Index right : {i / 2, (i + 1) / 2}) {
      for (const Index above : {j / 2, (j + 1) / 2}) {
        x.at(i, j) += 0.25 * coarse.at(right + at.columns, above + at.rows);
      }
    }
  });
}

Grid residual_of(Grid& x, const Equations& equations) {
  Grid residual(x.part);
  x.for_relaxed([&](Index i, Index j) { residual.at(i, j) = equations.residual(x, i, j); });
  return residual;
}

// The restricted residual at the coarse node below fine node (i, j), both even.
double restricted(Grid& residual, Index i, Index j) {
  double sum = 0.0;
  for (const Index right : {-1, 0, 1}) {
    for (const Index above : {-1, 0, 1}) {
      sum += residual.at(i + right, j + above) / ((right ? 2.0 : 1.0) * (above ? 2.0 : 1.0));
    }
  }
  return sum;
}

template <typename Real>
mg::Field<Real> field_of(Grid& grid) {
  mg::Field<Real> field(grid.part);
  for (Index j = 0; j <= grid.part.rows.intervals; ++j) {
    for (Index i = 0; i <= grid.part.columns.intervals; ++i) {
      field.at(i, j) = static_cast<Real>(grid.at(i, j));
    }
    // What mirrors show beyond the last node of a row.
    const Index n = grid.part.columns.intervals;
    field.even(j)[n / 2 + 1] = field.even(j)[n / 2 - 1];
    field.odd(j)[n / 2] = field.odd(j)[n / 2 - 1];
  }
  return field;
}

Grid random_grid(const mg::Part& part, Index seed) {
  Grid grid(part);
  for (std::size_t k = 0; k < grid.values.size(); ++k) {
    grid.values[k] = drawn(seed * 100003 + static_cast<Index>(k));
  }
  return grid;
}

template <typename Real>
double largest_difference(const mg::Field<Real>& field, Grid& grid, bool only_black = false) {
  double largest = 0.0;
  grid.for_relaxed([&](Index i, Index j) {
    if (only_black && red(i, j)) return;
    largest = std::max(largest, std::abs(field.at(i, j) - grid.at(i, j)));
  });
  return largest;
}

double largest_restriction_error(const mg::Field<float>& coarse, Grid residual, mg::Offset at) {
  double largest = 0.0;
  residual.for_relaxed([&](Index i, Index j) {
    if (!corner(i, j)) return;
    largest = std::max(largest, std::abs(coarse.at(i / 2 + at.columns, j / 2 + at.rows) -
                                         restricted(residual, i, j)));
  });
  return largest;
}

// Fine and coarse parts of all kinds: the whole square or with neighbours, mirrored or not.
struct Parts {
  mg::Part fine;
  mg::Part coarse;
};

mg::Range range(Index first, Index intervals, bool mirrored, Index own_begin) {
  return {.first = first,
          .intervals = intervals,
          .mirrored = mirrored,
          .own_begin = own_begin,
          .own_end = intervals + (mirrored ? 1 : 0)};
}

std::vector<Parts> kinds_of_parts() {
  std::vector<Parts> kinds;
  for (const bool mirrored_columns : {false, true}) {
    for (const bool mirrored_rows : {false, true}) {
      for (const Index ahead : {0, 3, 4}) {
        const auto part = [&](Index first, Index columns, Index rows) {
          return mg::Part{.lattice_intervals = 64,
                          .columns = range(first, columns, mirrored_columns, ahead / 2 * 2),
                          .rows = range(first, rows, mirrored_rows, ahead / 2 * 2),
                          .replicated = false};
        };
        kinds.push_back({part(2 * ahead, 40, 12), part(0, 24, 10)});
        kinds.push_back({part(2 * ahead, 4, 44), part(0, 6, 26)});
      }
    }
  }
  return kinds;
}

double sum_of_squares(Grid residual) {
  const mg::Range& columns = residual.part.columns;
  const mg::Range& rows = residual.part.rows;
  double sum = 0.0;
  residual.for_relaxed([&](Index i, Index j) {
    if (i < columns.own_begin || i >= columns.own_end) return;
    if (j < rows.own_begin || j >= rows.own_end) return;
    const double value = residual.at(i, j) * (i == columns.intervals ? 0.5 : 1.0) *
                         (j == rows.intervals ? 0.5 : 1.0);
    sum += value * value;
  });
  return sum;
}

constexpr double kDouble = 1e-13;
constexpr double kSingle = 4e-6;
constexpr double kLoad = 0.125;

}  // namespace

TEST_CASE("multigrid: a pass that improves is correction, sweeps and restriction in turn") {
  for (const auto& [fine, coarse] : kinds_of_parts()) {
    const mg::Offset at = mg::offset(fine, coarse);
    Grid x = random_grid(fine, 1);
    Grid correction = random_grid(coarse, 2);
    mg::Field<double> solution = field_of<double>(x);
    mg::Field<float> right_side(coarse);
    std::vector<double> rows;
    const double squares =
        mg::improve({fine, solution, kLoad, rows}, coarse, field_of<float>(correction), right_side);
    const Equations equations{.quadratic = true, .load = kLoad, .right_side = nullptr};
    prolong(x, correction, at);
    sweep(x, equations, mg::kSweeps);
    CHECK(largest_difference(solution, x) < kDouble);
    CHECK(largest_restriction_error(right_side, residual_of(x, equations), at) < kSingle);
    CHECK(squares == doctest::Approx(sum_of_squares(residual_of(x, equations))).epsilon(1e-12));
  }
}

TEST_CASE("multigrid: a pass that begins is interpolation, sweeps and restriction in turn") {
  for (const auto& [fine, coarse] : kinds_of_parts()) {
    const mg::Offset at = mg::offset(fine, coarse);
    Grid x = random_grid(fine, 1);
    Grid before = random_grid(coarse, 2);
    mg::Field<double> solution = field_of<double>(x);
    mg::Field<float> right_side(coarse);
    std::vector<double> rows;
    const double squares =
        mg::begin({fine, solution, kLoad, rows}, coarse, field_of<double>(before), right_side);
    const Equations equations{.quadratic = true, .load = kLoad, .right_side = nullptr};
    x.for_relaxed([&](Index i, Index j) {
      const auto corner_at = [&](Index right, Index above) {
        return before.at((i + right) / 2 + at.columns, (j + above) / 2 + at.rows);
      };
      if (corner(i, j)) {
        x.at(i, j) = corner_at(0, 0);
      } else if (red(i, j)) {
        x.at(i, j) =
            kLoad / 2 +
            (corner_at(-1, -1) + corner_at(-1, 1) + corner_at(1, -1) + corner_at(1, 1)) / 4;
      }
    });
    relax(x, equations, false);
    sweep(x, equations, mg::kSweeps);
    CHECK(largest_difference(solution, x) < kDouble);
    CHECK(largest_restriction_error(right_side, residual_of(x, equations), at) < kSingle);
    CHECK(squares == doctest::Approx(sum_of_squares(residual_of(x, equations))).epsilon(1e-12));
  }
}

TEST_CASE("multigrid: passes over coarser lattices relax once downwards and twice upwards") {
  for (const auto& [fine, coarse] : kinds_of_parts()) {
    const mg::Offset at = mg::offset(fine, coarse);
    Grid load = random_grid(fine, 1);
    Grid correction = random_grid(coarse, 2);
    // Values of a cycle before are of no account, but for those that are not relaxed.
    Grid x = random_grid(fine, 3);
    mg::Field<float> field = field_of<float>(x);
    const mg::Field<float> right_side = field_of<float>(load);
    mg::Field<float> coarse_right_side(coarse);
    std::vector<float> rows;
    const Equations equations{.quadratic = false, .load = 0.0, .right_side = &load};
    x.for_relaxed([&](Index i, Index j) { x.at(i, j) = red(i, j) ? load.at(i, j) / 4 : 0.0; });
    relax(x, equations, false);
    mg::descend({fine, field, right_side, rows}, coarse, coarse_right_side);
    CHECK(largest_difference(field, x) < kSingle);
    CHECK(largest_restriction_error(coarse_right_side, residual_of(x, equations), at) < kSingle);

    mg::ascend({fine, field, right_side, rows}, coarse, field_of<float>(correction));
    prolong(x, correction, at);
    sweep(x, equations, 2);
    CHECK(largest_difference(field, x) < kSingle);
  }
}

TEST_CASE("multigrid: a process fetches whatever it holds") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const ProcessGrid grid = process_grid(ranks());
  CommunicationTime time;
  mg::Neighbours neighbours(grid, MPI_COMM_WORLD, time);
  for (const mg::Part& part : mg::parts({.level = 3}, grid, rank)) {
    if (part.lattice_intervals < 8) continue;
    mg::Field<double> field(part);
    const auto number = [&](Index i, Index j) {
      return static_cast<double>(1000 * (part.rows.first + j) + part.columns.first + i + 1);
    };
    for (Index j = part.rows.own_begin; j < part.rows.own_end; ++j) {
      for (Index i = part.columns.own_begin; i < part.columns.own_end; ++i) {
        field.at(i, j) = number(i, j);
      }
    }
    neighbours.fetch(part, field);
    if (part.empty()) continue;
    // All but what lies a layer further than passes look at, which may be the end of the lattice.
    const auto end = [](const mg::Range& held) {
      return std::min(held.own_end + mg::kHalo, held.intervals + 1);
    };
    std::int64_t wrong = 0;
    for (Index j = 0; j < end(part.rows); ++j) {
      for (Index i = 0; i < end(part.columns); ++i) wrong += field.at(i, j) != number(i, j);
    }
    CHECK(wrong == 0);
  }
}

// A cycle divides the residual by at least ten, at any level: so six digits more are six cycles.
TEST_CASE("multigrid: cycles do not grow in number with the level") {
  if (ranks() > 2) return;
  for (const Problem problem : {Problem::kA, Problem::kB}) {
    int before = 100;
    for (int level = 3; level <= 6; ++level) {
      const auto cycles = [&](double tolerance) {
        CommunicationTime time;
        const auto solver =
            Method::all()
                .at("multigrid")
                ->definition.make({.level = level, .problem = problem, .tolerance = tolerance},
                                  MPI_COMM_WORLD, time);
        solver->assemble();
        return solver->solve(1.0);
      };
      const int many = cycles(1e-10);
      CHECK(many - cycles(1e-4) <= 6);
      CHECK(many <= before);
      before = many;
    }
  }
}

TEST_CASE("multigrid: a tolerance that rounding does not allow ends the solve all the same") {
  if (ranks() > 2) return;
  CommunicationTime time;
  const auto solver =
      Method::all()
          .at("multigrid")
          ->definition.make({.level = 6, .problem = Problem::kB, .tolerance = 1e-15},
                            MPI_COMM_WORLD, time);
  solver->assemble();
  CHECK(solver->solve(1.0) < 20);
  CHECK(solver->reduction() > 1e-15);
  CHECK(solver->reduction() < 1e-10);
}
