#include "applications/fem2d/lattice.hpp"

#include <algorithm>
#include <tuple>

namespace leadline::probe::fem2d {

namespace {

constexpr std::int64_t kCoarseIntervals = 8;
constexpr std::int64_t kCuts = 64;  // lines of the lattice along which parts are cut

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Where part `index` of `count` begins, in lines of the lattice of `kCuts` intervals.
std::int64_t cut(int index, int count) { return index * kCuts / count; }

// The same on a lattice of so many intervals.
std::int64_t begin_of(int index, int count, std::int64_t intervals) {
  return index == count ? intervals + 1 : divided_up(cut(index, count) * intervals, kCuts);
}

// The highest lattice that every process holds whole.
int replicated_level(const Case& problem) {
  int level = 0;
  while (level < problem.level && kCoarseIntervals << (level + 1) <= kCuts) ++level;
  return level;
}

}  // namespace

ProcessGrid process_grid(int processes) {
  const auto cost = [](ProcessGrid grid) {
    const std::int64_t width = divided_up(kCuts, grid.columns);
    const std::int64_t height = divided_up(kCuts, grid.rows);
    return std::tuple(width * height, width + height);
  };
  ProcessGrid best;
  for (int columns = 1; columns <= processes && columns <= kCuts; ++columns) {
    const int rows = std::min<int>(processes / columns, kCuts);
    if (cost({columns, rows}) < cost(best)) best = {columns, rows};
  }
  return best;
}

DirichletSides dirichlet_sides(Problem problem) {
  const bool all = problem == Problem::kB;
  return {.west = true, .east = all, .south = true, .north = all};
}

std::vector<Lattice> lattices(const Case& problem, ProcessGrid grid, int rank) {
  const int row = rank / grid.columns;
  const int column = rank % grid.columns;
  std::vector<Lattice> all;
  for (int level = 0; level <= problem.level + 1; ++level) {
    Lattice& lattice = all.emplace_back();
    const std::int64_t n = lattice.intervals = kCoarseIntervals << level;
    lattice.replicated = level <= replicated_level(problem);
    if (row < grid.rows) {
      lattice.own = {begin_of(column, grid.columns, n), begin_of(column + 1, grid.columns, n),
                     begin_of(row, grid.rows, n), begin_of(row + 1, grid.rows, n)};
    }
  }
  return all;
}

}  // namespace leadline::probe::fem2d
