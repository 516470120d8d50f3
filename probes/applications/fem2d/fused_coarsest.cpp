#include "applications/fem2d/fused_coarsest.hpp"

#include <cmath>
#include <cstdlib>

namespace leadline::probe::fem2d {

namespace {

std::vector<Node> nodes_of(const Rectangle& unknowns) {
  std::vector<Node> nodes;
  for (std::int64_t j = unknowns.j_begin; j < unknowns.j_end; ++j) {
    for (std::int64_t i = unknowns.i_begin; i < unknowns.i_end; ++i) nodes.push_back({i, j});
  }
  return nodes;
}

// An edge along a side of the square belongs to one triangle, not to two.
double entry(Node a, Node b, std::int64_t intervals) {
  const auto half = [&](std::int64_t line) { return line == 0 || line == intervals ? 0.5 : 1.0; };
  const std::int64_t distance = std::abs(a.i - b.i) + std::abs(a.j - b.j);
  if (distance == 0) return 4.0 * half(a.i) * half(a.j);
  if (distance > 1) return 0.0;
  return a.i == b.i ? -half(a.i) : -half(a.j);
}

}  // namespace

CoarsestSolver::CoarsestSolver(const Lattice& lattice)
    : nodes_(nodes_of(lattice.unknowns)), size_(nodes_.size()), factor_(size_ * size_) {
  for (std::size_t row = 0; row < size_; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      double value = entry(nodes_[row], nodes_[column], lattice.intervals);
      for (std::size_t k = 0; k < column; ++k) value -= factor(row, k) * factor(column, k);
      factor(row, column) = row == column ? std::sqrt(value) : value / factor(column, column);
    }
  }
}

template <typename Real>
double CoarsestSolver::solve(const Field<Real>& residual, Field<Real>& solution) const {
  std::vector<double> values(size_);
  for (std::size_t row = 0; row < size_; ++row) {
    double value = *residual.at(nodes_[row].i, nodes_[row].j);
    for (std::size_t k = 0; k < row; ++k) value -= factor(row, k) * values[k];
    values[row] = value / factor(row, row);
  }
  double product = 0.0;
  for (const double value : values) product += value * value;
  for (std::size_t row = size_; row-- > 0;) {
    for (std::size_t k = row + 1; k < size_; ++k) values[row] -= factor(k, row) * values[k];
    values[row] /= factor(row, row);
    *solution.at(nodes_[row].i, nodes_[row].j) = static_cast<Real>(values[row]);
  }
  return product;
}

template double CoarsestSolver::solve(const Field<float>&, Field<float>&) const;
template double CoarsestSolver::solve(const Field<double>&, Field<double>&) const;

}  // namespace leadline::probe::fem2d
