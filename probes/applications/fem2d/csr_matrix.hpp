// Stiffness matrix and load of quadratic triangles, assembled element by element.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "applications/fem2d/csr_mesh.hpp"

namespace leadline::probe::fem2d::csr {

using Vertices = std::array<Coordinates, 3>;

// Of -div grad u with quadratic functions: three vertices, then the middles of the edges opposite.
// By the quadrature in the middles of the edges, which is exact here.
std::array<std::array<double, 6>, 6> element_matrix(const Vertices& vertices);

// The same with linear functions.
std::array<std::array<double, 3>, 3> linear_element_matrix(const Vertices& vertices);

double area(const Vertices& vertices);

// The vertices of a triangle.
inline Vertices vertices_of(const Mesh& mesh, const Triangle& triangle) {
  const auto at = [&](int k) {
    return mesh.nodes[static_cast<std::size_t>(triangle.vertices[static_cast<std::size_t>(k)])];
  };
  return {at(0), at(1), at(2)};
}

// Compressed sparse rows; those of fixed nodes are empty.
class Matrix {
 public:
  Matrix() = default;
  // `mesh` has the middles of its edges as its last nodes; `fixed` says which nodes are.
  Matrix(const Mesh& mesh, std::span<const char> fixed);

  // y = A x; returns x'y.
  double multiply(std::span<const double> x, std::span<double> y) const;
  // 0 where a row is empty.
  void copy_diagonal(std::span<double> diagonal) const;
  double bytes() const;

 private:
  void lay_out(const Mesh& mesh, std::span<const char> fixed);
  std::size_t entries() const { return static_cast<std::size_t>(start_.back()); }
  void add(Index row, Index column, double value);

  std::vector<std::int64_t> start_{0};
  std::unique_ptr<Index[]> columns_;
  std::unique_ptr<double[]> values_;
};

}  // namespace leadline::probe::fem2d::csr
