// From a grid and the assignment of its cells to what each task exchanges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "benchmarks/mpi/halo_exchange.hpp"
#include "benchmarks/mpi/halo_operation.hpp"

namespace leadline::probe {

// Which rank works on which cell, and on which node.
struct Assignment {
  std::vector<int> rank_of_cell;
  std::vector<int> node_of_cell;
  int own_cell = 0;
};

// Of the task on `own_cell`, in the order of the directions. Each direction has `stride` bytes of a
// buffer.
inline std::vector<Border> borders_of(const HaloProblem& problem, const Assignment& assignment,
                                      std::size_t stride) {
  std::vector<Border> borders;
  for (std::size_t step = 0; step < problem.steps.size(); ++step) {
    const Coordinates& direction = problem.steps[step];
    const int cell = problem.grid.neighbour(assignment.own_cell, direction);
    if (cell == kNobody) continue;
    const auto first = std::ranges::find_if(direction, [](int way) { return way != 0; });
    borders.push_back({.neighbour = assignment.rank_of_cell[static_cast<std::size_t>(cell)],
                       .dimension = static_cast<int>(first - direction.begin()),
                       .out_tag = static_cast<int>(step),
                       .in_tag = static_cast<int>(opposite(step)),
                       .bytes = static_cast<int>(problem.bytes(assignment.own_cell, step)),
                       .offset = step * stride,
                       .landing = opposite(step) * stride});
  }
  return borders;
}

}  // namespace leadline::probe
