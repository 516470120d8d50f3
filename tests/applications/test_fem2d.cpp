// Every method of the FEM-2D reference problem, against what is known of it, on any number of
// ranks.
#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "applications/fem2d/known.hpp"
#include "applications/fem2d/method.hpp"

using namespace leadline::probe;
using namespace leadline::probe::fem2d;

namespace {

int ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Where ranks share a core each message costs them milliseconds.
bool crowded() { return ranks() > 2; }

struct Solution {
  int iterations;
  std::vector<double> values;  // at all nodes, row by row from south to north
};

std::vector<Node> all_nodes(const Case& problem) {
  std::vector<Node> nodes;
  for (std::int64_t j = 0; j <= problem.intervals(); ++j) {
    for (std::int64_t i = 0; i <= problem.intervals(); ++i) nodes.push_back({i, j});
  }
  return nodes;
}

Solution solved(const Method& method, const Case& problem, double scale = 1.0) {
  CommunicationTime time;
  const auto solver = method.definition.make(problem, MPI_COMM_WORLD, time);
  solver->assemble();
  const int iterations = solver->solve(scale);
  return {iterations, solver->values(all_nodes(problem))};
}

int iterations(const char* name, const Case& problem) {
  CommunicationTime time;
  const auto solver = Method::all().at(name)->definition.make(problem, MPI_COMM_WORLD, time);
  solver->assemble();
  return solver->solve(1.0);
}

// An edge of a lattice on the boundary belongs to one triangle and counts half.
class Lattice {
 public:
  Lattice(const std::vector<double>& values, std::int64_t intervals, std::int64_t step)
      : values_(values), intervals_(intervals), step_(step) {}

  // The five-point formula: what linear functions on this lattice have in a row.
  double row(std::int64_t i, std::int64_t j) const {
    const double along = on_side(j) ? 0.5 : 1.0;
    const double across = on_side(i) ? 0.5 : 1.0;
    double sum = 0.0;
    if (i > 0) sum += along * (at(i, j) - at(i - step_, j));
    if (i < intervals_) sum += along * (at(i, j) - at(i + step_, j));
    if (j > 0) sum += across * (at(i, j) - at(i, j - step_));
    if (j < intervals_) sum += across * (at(i, j) - at(i, j + step_));
    return sum;
  }

 private:
  bool on_side(std::int64_t k) const { return k == 0 || k == intervals_; }
  double at(std::int64_t i, std::int64_t j) const {
    return values_[static_cast<std::size_t>(j * (intervals_ + 1) + i)];
  }

  const std::vector<double>& values_;
  std::int64_t intervals_;
  std::int64_t step_;
};

// The largest residual of the discrete equations, which on this mesh are a combination of those of
// linear functions on two lattices; and of the boundary values.
double largest_residual(const Case& problem, const std::vector<double>& values) {
  const std::int64_t n = problem.intervals();
  const Lattice fine(values, n, 1);
  const Lattice coarse(values, n, 2);
  const double h = 1.0 / static_cast<double>(n);
  const bool a = problem.problem == Problem::kA;
  double largest = 0.0;
  for (std::int64_t j = 0; j <= n; ++j) {
    for (std::int64_t i = 0; i <= n; ++i) {
      const bool even = i % 2 == 0 && j % 2 == 0;
      double residual = 4.0 / 3.0 * fine.row(i, j) - (even ? coarse.row(i, j) / 3.0 : 0.0);
      if (!a && !even) residual -= 4.0 / 3.0 * h * h;
      const bool fixed = i == 0 || j == 0 || (!a && (i == n || j == n));
      if (fixed) {
        const double given = a && j == 0 ? h * static_cast<double>(i) : 0.0;
        residual = values[static_cast<std::size_t>(j * (n + 1) + i)] - given;
      }
      largest = std::max(largest, std::abs(residual));
    }
  }
  return largest;
}

constexpr std::array<std::array<int, 2>, 5> kQuarters{{{2, 2}, {1, 1}, {3, 1}, {1, 3}, {3, 3}}};

double largest_error(const Case& problem, const std::vector<double>& values) {
  const std::int64_t n = problem.intervals();
  double largest = 0.0;
  for (const auto& [x, y] : kQuarters) {
    const double found = values[static_cast<std::size_t>(y * n / 4 * (n + 1) + x * n / 4)];
    largest = std::max(largest, std::abs(found - known_value(problem.problem, x / 4.0, y / 4.0)));
  }
  return largest;
}

}  // namespace

TEST_CASE("fem2d: known values are those of the definition") {
  CHECK(std::abs(known_value(Problem::kA, 0.5, 0.5) - 0.296085224619) < 1e-12);
  CHECK(std::abs(known_value(Problem::kB, 0.5, 0.5) - 0.073671353281) < 1e-12);
  CHECK(known_iterations({.level = 6}) == 45);
  CHECK(!known_iterations({.level = 4}));
  CHECK(!known_iterations({.level = 10}));
  CHECK(!known_iterations({.level = 6, .coarse_solver = true}));
}

// A at levels 5 and 6 and B: published, or with the definition; the others: a program in numpy that
// has the lattices' matrices and nothing of these methods.
TEST_CASE("fem2d: iterations are those of the definition") {
  struct Expected {
    int iterations;
    Case problem;
  };
  using enum Problem;
  const std::vector<Expected> table{
      {42, {.level = 3}},
      {33, {.level = 3, .problem = kB, .tolerance = 1e-8, .preconditioned_norm = true}},
      {43, {.level = 4}},
      {44, {.level = 4, .preconditioned_norm = true}},
      {21, {.level = 4, .coarse_solver = true}},
      {26, {.level = 4, .problem = kB, .coarse_solver = true}},
      {34, {.level = 4, .problem = kB, .tolerance = 1e-8, .preconditioned_norm = true}},
      {44, {.level = 5}},
      {21, {.level = 5, .coarse_solver = true}},
      {45, {.level = 6}},
      {36, {.level = 6, .problem = kB, .tolerance = 1e-8, .preconditioned_norm = true}},
  };
  if (crowded()) return;
  for (const auto& [name, method] : Method::all()) {
    if (!method->definition.defined_iterations) continue;
    CAPTURE(std::string(name));
    for (const auto& [iterations, problem] : table) {
      CAPTURE(problem.level);
      CAPTURE(problem.coarse_solver);
      CAPTURE(problem.preconditioned_norm);
      CommunicationTime time;
      const auto solver = method->definition.make(problem, MPI_COMM_WORLD, time);
      solver->assemble();
      CHECK(std::abs(solver->solve(1.0) - iterations) <= 1);
    }
  }
}

TEST_CASE("fem2d: all nodes satisfy the equations of the lattice") {
  if (crowded()) return;
  for (const auto& [name, method] : Method::all()) {
    CAPTURE(std::string(name));
    for (const bool b : {false, true}) {
      const Case tight{.level = 3,
                       .problem = b ? Problem::kB : Problem::kA,
                       .tolerance = 1e-11,
                       .preconditioned_norm = b};
      CAPTURE(b);
      // The residual that a solve begins with is 13 in A, and less in B.
      const Solution solution = solved(*method, tight);
      CHECK(largest_residual(tight, solution.values) < 20.0 * tight.tolerance);
    }
  }
}

// One solve of each method has to tell.
TEST_CASE("fem2d on many ranks: iterations and equations") {
  const Case problem{.level = 3, .coarse_solver = true};
  for (const auto& [name, method] : Method::all()) {
    CAPTURE(std::string(name));
    const Solution solution = solved(*method, problem);
    if (method->definition.defined_iterations) CHECK(std::abs(solution.iterations - 20) <= 1);
    CHECK(largest_residual(problem, solution.values) < 20.0 * problem.tolerance);
    CHECK(largest_error(problem, solution.values) < known_value_bound(problem));
  }
}

TEST_CASE("fem2d: with twice the lattice errors in the nodes are a sixteenth") {
  if (crowded()) return;
  for (const auto& [name, method] : Method::all()) {
    CAPTURE(std::string(name));
    for (const Problem problem : {Problem::kA, Problem::kB}) {
      double before = 0.0;
      for (const int level : {3, 4}) {
        const Case tight{.level = level, .problem = problem, .tolerance = 1e-12};
        const double error = largest_error(tight, solved(*method, tight).values);
        CHECK(error < known_value_bound(tight));
        if (level == 4) CHECK(before / error == doctest::Approx(16.0).epsilon(0.1));
        before = error;
      }
    }
  }
}

TEST_CASE("fem2d: a scale changes every value and no iteration") {
  if (crowded()) return;
  constexpr double kScale = 0x1p-31;
  for (const auto& [name, method] : Method::all()) {
    CAPTURE(std::string(name));
    for (const Problem problem : {Problem::kA, Problem::kB}) {
      const Case coarse{.level = 3, .problem = problem, .coarse_solver = true};
      const Solution one = solved(*method, coarse);
      const Solution scaled = solved(*method, coarse, kScale);
      CHECK(scaled.iterations == one.iterations);
      std::size_t different = 0;
      for (std::size_t i = 0; i < one.values.size(); ++i) {
        different += std::abs(scaled.values[i] / kScale - one.values[i]) > 1e-12 ? 1 : 0;
      }
      CHECK(different == 0);
    }
  }
}

TEST_CASE("fem2d: a solver can be used again, and is asked for nodes in any order") {
  const Case problem{.level = 3};
  const std::int64_t middle = problem.intervals() / 2;
  const std::array<Node, 4> nodes{{{middle, middle}, {1, 0}, {middle, middle}, {0, 1}}};
  for (const auto& [name, method] : Method::all()) {
    CAPTURE(std::string(name));
    CommunicationTime time;
    const auto solver = method->definition.make(problem, MPI_COMM_WORLD, time);
    solver->assemble();
    const int iterations = solver->solve(2.0);
    const std::vector<double> first = solver->values(nodes);
    CHECK(first[0] == first[2]);
    CHECK(first[1] == 2.0 / static_cast<double>(problem.intervals()));
    CHECK(first[3] == 0.0);
    CHECK(solver->solve(2.0) == iterations);
    CHECK(solver->reduction() <= problem.tolerance);
    CHECK(solver->reduction() > problem.tolerance / 100.0);
    solver->assemble();
    time.reset();
    CHECK(solver->solve(0.5) == iterations);
    CHECK(std::abs(solver->values(nodes)[0] - 0.25 * first[0]) < 1e-12);
    if (ranks() > 1) CHECK(time.seconds() > 0.0);
    // Each iteration reads and writes a vector of the unknowns at the very least.
    double bytes = solver->traffic_bytes();
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(bytes > 16.0 * iterations * std::pow(problem.intervals() - 1, 2));
    // A method may hold lattices of up to 64 intervals on every process.
    const double nodes = std::pow(problem.intervals() + 1, 2) + ranks() * std::pow(64 + 1, 2);
    CHECK(bytes < 1000.0 * iterations * nodes);
  }
}
