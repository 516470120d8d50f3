// Multigrid's passes over one lattice. Each goes through memory once: while a front of rows is in
// the cache, every sweep follows the one before as closely as its stencil allows.
//
// The smoother is red-black Gauss-Seidel; red are the nodes with i + j even. Restriction is full
// weighting, prolongation bilinear (U. Trottenberg, C. Oosterlee and A. Schueller, Multigrid,
// Academic Press, 2001, sections 2.3, 4.5 and 5.4). After a sweep the residual is zero at black
// nodes, and a correction of red nodes would be overwritten by the next: both are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "applications/fem2d/multigrid_field.hpp"

namespace leadline::probe::fem2d::multigrid {

// Node (0, 0) of a lattice's part in its coarser one's local indices.
struct Offset {
  std::int64_t columns;
  std::int64_t rows;
};
Offset offset(const Part& fine, const Part& coarse);

// Linear triangles on a coarse lattice: 4 c - W - E - S - N = right-hand side, for a correction. In
// single precision: a correction needs few digits.
struct Linear {
  const Part& part;
  Field<float>& correction;
  const Field<float>& right_side;
  std::vector<float>& rows;  // for intermediate ones
};

// From zero: relaxes once; the residual becomes the coarser lattice's right-hand side.
void descend(const Linear& level, const Part& coarse_part, Field<float>& coarse_right_side);
// Adds the coarser lattice's correction, relaxes twice.
void ascend(const Linear& level, const Part& coarse_part, const Field<float>& coarse_correction);
// From zero, on the lattice of two intervals.
void solve_coarsest(const Linear& level);

// Quadratic triangles: (16 c - 4 (W + E + S + N)) / 3 = 4 / 3 load but for nodes even in both
// directions, where 4 c - 4 / 3 (W + E + S + N) + 1 / 3 (those at distance 2) = 0.
struct Quadratic {
  const Part& part;
  Field<double>& solution;
  double load;
  std::vector<double>& rows;
};

// Both return the sum of squares of the residual over own nodes; the residual becomes the coarser
// lattice's right-hand side. Nodes along a mirror count with the half of the residual that the
// finite elements give them.
//
// Interpolates the coarser lattice's solution, then relaxes kSweeps times. Cell centres are
// interpolated by the rotated five-point formula and the rest by the equation itself, which is of
// fourth order (J. M. Hyman, Mesh refinement and local inversion of elliptic partial differential
// equations, J. Comput. Phys. 23, 1977).
double begin(const Quadratic& level, const Part& coarse_part, const Field<double>& coarse_solution,
             Field<float>& coarse_right_side);
// Adds the coarser lattice's correction, relaxes kSweeps times.
double improve(const Quadratic& level, const Part& coarse_part,
               const Field<float>& coarse_correction, Field<float>& coarse_right_side);

}  // namespace leadline::probe::fem2d::multigrid
