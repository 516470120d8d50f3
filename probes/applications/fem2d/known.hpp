// What is known of the FEM-2D reference problem without solving it.
#pragma once

#include <optional>

#include "applications/fem2d/method.hpp"

namespace leadline::probe::fem2d {

// The solution at a point with 1/4 <= x, y <= 3/4, to 13 digits: separation of variables.
double known_value(Problem problem, double x, double y);

// How far from that a solution may be in the nodes nearest those points. Quadratic triangles are of
// order 4 in the nodes; the constants are three times the largest that were found with levels 2 to
// 9, both problems and norms.
double known_value_bound(const Case& problem_case);

// Iterations of PCG with multilevel diagonal scaling, where they were published; 1 more or less is
// the order of summation.
std::optional<int> known_iterations(const Case& problem_case);

}  // namespace leadline::probe::fem2d
