// The exact solve on the coarsest lattice: the five-point matrix of linear triangles, factorised.
#pragma once

#include <vector>

#include "applications/fem2d/lattice.hpp"

namespace leadline::probe::fem2d {

class CoarsestSolver {
 public:
  // A lattice that every process holds whole.
  explicit CoarsestSolver(const Lattice& lattice);

  // Solves for the unknowns, and returns the product of both sides.
  template <typename Real>
  double solve(const Field<Real>& residual, Field<Real>& solution) const;

 private:
  double& factor(std::size_t row, std::size_t column) { return factor_[row * size_ + column]; }
  double factor(std::size_t row, std::size_t column) const { return factor_[row * size_ + column]; }

  std::vector<Node> nodes_;
  std::size_t size_;
  std::vector<double> factor_;  // Cholesky's, lower triangle
};

}  // namespace leadline::probe::fem2d
