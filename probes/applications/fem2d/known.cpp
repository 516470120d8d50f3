#include "applications/fem2d/known.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace leadline::probe::fem2d {
namespace {

constexpr double kPi = std::numbers::pi;
// Terms fall like exp(-pi k / 4) in the points allowed.
constexpr int kTerms = 50;

// sum over k >= 1 of 2 (-1)^(k+1) / l^2 sin(l x) cosh(l (1 - y)) / cosh(l), l = (k - 1/2) pi.
double value_a(double x, double y) {
  double sum = 0.0;
  for (int k = 1; k <= kTerms; ++k) {
    const double l = (k - 0.5) * kPi;
    const double decay = (std::exp(-l * y) + std::exp(-l * (2.0 - y))) / (1.0 + std::exp(-2.0 * l));
    sum += (k % 2 == 1 ? 2.0 : -2.0) / (l * l) * std::sin(l * x) * decay;
  }
  return sum;
}

// x (1 - x) / 2 - sum over odd k of 4 / l^3 sin(l x) cosh(l (y - 1/2)) / cosh(l / 2), l = k pi.
double value_b(double x, double y) {
  const double from_middle = std::abs(y - 0.5);
  double sum = 0.5 * x * (1.0 - x);
  for (int k = 1; k <= kTerms; k += 2) {
    const double l = k * kPi;
    const double decay = (std::exp(l * (from_middle - 0.5)) + std::exp(-l * (from_middle + 0.5))) /
                         (1.0 + std::exp(-l));
    sum -= 4.0 / (l * l * l) * std::sin(l * x) * decay;
  }
  return sum;
}

}  // namespace

double known_value(Problem problem, double x, double y) {
  return problem == Problem::kA ? value_a(x, y) : value_b(x, y);
}

double known_value_bound(const Case& problem_case) {
  const double h = 1.0 / static_cast<double>(problem_case.intervals());
  // The Euclidean norm of the residual says less of the error the finer the mesh is: problem A ends
  // 1.4, 2.7, 4.2 and 11.4 tolerances off at levels 6 to 9, in double precision throughout.
  const double finer =
      problem_case.preconditioned_norm ? 1.0 : std::exp2(std::max(0, problem_case.level - 7));
  // No tolerance brings a solution below what rounding leaves.
  return 10.0 * (std::pow(h, 4) + finer * std::max(problem_case.tolerance, 1e-9));
}

std::optional<int> known_iterations(const Case& problem_case) {
  constexpr int kFirstLevel = 5;
  constexpr std::array kPublished{44, 45, 45, 45, 44};
  const std::size_t index = static_cast<std::size_t>(problem_case.level - kFirstLevel);
  if (problem_case.problem != Problem::kA || problem_case.coarse_solver ||
      problem_case.preconditioned_norm || problem_case.tolerance != 1e-6 ||
      index >= kPublished.size()) {
    return std::nullopt;
  }
  return kPublished[index];
}

}  // namespace leadline::probe::fem2d
