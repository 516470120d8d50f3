// What the halo benchmarks share: from a grid and the sizes of its messages to an operation.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/mpi/halo_grid.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe {

struct HaloProblem {
  Grid grid;
  Steps steps;          // to the neighbours
  std::string pattern;  // of exchange_patterns()
  bool bunched = false;
  // Of the message from a cell in a direction. The message that comes back has the same size.
  std::function<std::size_t(int cell, std::size_t step)> bytes;
};

// Reads the axes of `halo_axes`. Throws Unavailable where the tasks do not fit on such a grid.
Grid plane_grid(const Point& point);
HaloProblem halo_problem(const Point& point, Grid grid);

// pattern (with `further` choices), periodic, calls.
std::vector<Axis> halo_axes(const std::vector<Axis>& own,
                            const std::vector<std::string>& further = {},
                            const std::string& further_summary = "");
Axis columns_axis();

// Collective. Throws Unavailable where no task has a neighbour, or where the pattern cannot use
// cold buffers.
Operation prepare_halo(const Point& point, const HaloProblem& problem);

// What every halo benchmark reports.
Series halo_series();

}  // namespace leadline::probe
