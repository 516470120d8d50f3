// The nested lattices N_l = 8 * 2^l of the FEM-2D reference problem, l = 0 .. level + 1, over up to
// 128 processes: who holds which nodes.
//
// The finest lattice is cut into rectangles, and each coarser node belongs to whom the finer node
// at its place belongs to. Lattices of up to 64 intervals are held whole by every process: one
// reduction costs less there than an exchange on each. Cuts run along their lines, so that parts
// of all other lattices begin at even nodes, and 2, 4, ... 64 processes hold whole coarse squares.
#pragma once

#include <cstdint>
#include <vector>

#include "applications/fem2d/method.hpp"

namespace leadline::probe::fem2d {

// Nodes (i, j), i_begin <= i < i_end and j_begin <= j < j_end.
struct Rectangle {
  std::int64_t i_begin = 0;
  std::int64_t i_end = 0;
  std::int64_t j_begin = 0;
  std::int64_t j_end = 0;

  std::int64_t width() const { return i_end - i_begin; }
  std::int64_t height() const { return j_end - j_begin; }
  bool empty() const { return width() <= 0 || height() <= 0; }
  bool operator==(const Rectangle&) const = default;
};

// Rank r has column r % columns and row r / columns; the ranks that are left over hold nothing.
struct ProcessGrid {
  int columns = 1;
  int rows = 1;
};

// The grid whose busiest process has the fewest nodes, and then the shortest halo.
ProcessGrid process_grid(int processes);

// A side of the square on which u is given, whose nodes are no unknowns.
struct DirichletSides {
  bool west;
  bool east;
  bool south;
  bool north;
};
DirichletSides dirichlet_sides(Problem problem);

// One lattice as one process sees it.
struct Lattice {
  std::int64_t intervals = 0;
  Rectangle own;            // its nodes; every node is some process's own
  bool replicated = false;  // every process holds all of it
};

// Lattices 0 .. level + 1 as this rank of the grid sees them.
std::vector<Lattice> lattices(const Case& problem, ProcessGrid grid, int rank);

}  // namespace leadline::probe::fem2d
