#include "applications/fem2d/csr_matrix.hpp"

#include <algorithm>
#include <numeric>

namespace leadline::probe::fem2d::csr {
namespace {

// Gradients of the barycentric coordinates, and the area.
struct Geometry {
  explicit Geometry(const Vertices& v)
      : area(csr::area(v)), gradients{across(v[1], v[2]), across(v[2], v[0]), across(v[0], v[1])} {}

  Coordinates across(const Coordinates& a, const Coordinates& b) const {
    return {(a.y - b.y) / (2.0 * area), (b.x - a.x) / (2.0 * area)};
  }

  double area;
  std::array<Coordinates, 3> gradients;
};

double dot(const Coordinates& a, const Coordinates& b) { return a.x * b.x + a.y * b.y; }

// Gradients of the quadratic functions where the barycentric coordinates are `at`:
// l_k (2 l_k - 1) for a vertex, 4 l_i l_j for the middle of an edge.
std::array<Coordinates, 6> quadratic_gradients(const std::array<Coordinates, 3>& linear,
                                               const std::array<double, 3>& at) {
  std::array<Coordinates, 6> gradients;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3;
    const std::size_t j = (k + 2) % 3;
    const double factor = 4.0 * at[k] - 1.0;
    gradients[k] = {factor * linear[k].x, factor * linear[k].y};
    gradients[k + 3] = {4.0 * (at[i] * linear[j].x + at[j] * linear[i].x),
                        4.0 * (at[i] * linear[j].y + at[j] * linear[i].y)};
  }
  return gradients;
}

}  // namespace

double area(const Vertices& v) {
  return 0.5 * ((v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y));
}

std::array<std::array<double, 6>, 6> element_matrix(const Vertices& vertices) {
  constexpr std::array<std::array<double, 3>, 3> kMiddles{
      {{0.0, 0.5, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.5, 0.0}}};
  const Geometry geometry(vertices);
  const double weight = geometry.area / 3.0;
  std::array<std::array<double, 6>, 6> matrix{};
  for (const auto& middle : kMiddles) {
    const auto gradients = quadratic_gradients(geometry.gradients, middle);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        matrix[i][j] += weight * dot(gradients[i], gradients[j]);
      }
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) matrix[j][i] = matrix[i][j];
  }
  return matrix;
}

std::array<std::array<double, 3>, 3> linear_element_matrix(const Vertices& vertices) {
  const Geometry geometry(vertices);
  std::array<std::array<double, 3>, 3> matrix{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      matrix[i][j] = geometry.area * dot(geometry.gradients[i], geometry.gradients[j]);
    }
  }
  return matrix;
}

Matrix::Matrix(const Mesh& mesh, std::span<const char> fixed) {
  lay_out(mesh, fixed);
  values_ = std::make_unique<double[]>(entries());
  const auto middle = static_cast<Index>(mesh.nodes.size() - mesh.edges.size());
  for (const Triangle& triangle : mesh.triangles) {
    const auto element = element_matrix(vertices_of(mesh, triangle));
    const auto& [v, e] = triangle;
    const std::array nodes{v[0], v[1], v[2], middle + e[0], middle + e[1], middle + e[2]};
    for (std::size_t i = 0; i < 6; ++i) {
      if (fixed[static_cast<std::size_t>(nodes[i])]) continue;
      for (std::size_t j = 0; j < 6; ++j) add(nodes[i], nodes[j], element[i][j]);
    }
  }
}

// A node meets itself, what lies on its edges, and what lies opposite in its triangles: no pair of
// nodes comes up twice, so nothing has to be looked for.
void Matrix::lay_out(const Mesh& mesh, std::span<const char> fixed) {
  const std::size_t rows = mesh.nodes.size();
  const auto middle = static_cast<Index>(rows - mesh.edges.size());
  const auto each_pair = [&](auto&& meet) {
    for (Index node = 0; node < static_cast<Index>(rows); ++node) meet(node, node);
    const auto meet_both = [&](Index a, Index b) {
      meet(a, b);
      meet(b, a);
    };
    for (std::size_t i = 0; i < mesh.edges.size(); ++i) {
      const auto& [a, b] = mesh.edges[i];
      const Index m = middle + static_cast<Index>(i);
      meet_both(a, b);
      meet_both(a, m);
      meet_both(b, m);
    }
    for (const auto& [v, e] : mesh.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        meet_both(v[k], middle + e[k]);
        meet_both(middle + e[k], middle + e[(k + 1) % 3]);
      }
    }
  };
  start_.assign(rows + 1, 0);
  each_pair([&](Index row, Index) { ++start_[static_cast<std::size_t>(row) + 1]; });
  for (std::size_t row = 0; row < rows; ++row) {
    if (fixed[row]) start_[row + 1] = 0;
  }
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  columns_ = std::make_unique_for_overwrite<Index[]>(entries());
  // Each row's start runs to its end, which is the next one's start.
  each_pair([&](Index row, Index column) {
    if (!fixed[static_cast<std::size_t>(row)])
      columns_[start_[static_cast<std::size_t>(row)]++] = column;
  });
  std::copy_backward(start_.begin(), start_.end() - 1, start_.end());
  start_[0] = 0;
}

void Matrix::add(Index row, Index column, double value) {
  std::int64_t entry = start_[static_cast<std::size_t>(row)];
  while (columns_[entry] != column) ++entry;
  values_[entry] += value;
}

double Matrix::multiply(std::span<const double> x, std::span<double> y) const {
  const Index* columns = columns_.get();
  const double* values = values_.get();
  double product = 0.0;
  for (std::size_t row = 0; row < y.size(); ++row) {
    double sum = 0.0;
    for (std::int64_t entry = start_[row]; entry < start_[row + 1]; ++entry) {
      sum += values[entry] * x[static_cast<std::size_t>(columns[entry])];
    }
    y[row] = sum;
    product += sum * x[row];
  }
  return product;
}

void Matrix::copy_diagonal(std::span<double> diagonal) const {
  for (std::size_t row = 0; row < diagonal.size(); ++row) {
    // What a row meets first is itself.
    diagonal[row] = start_[row] == start_[row + 1] ? 0.0 : values_[start_[row]];
  }
}

double Matrix::bytes() const {
  return static_cast<double>(entries() * (sizeof(double) + sizeof(Index)) +
                             start_.size() * sizeof start_[0]);
}

}  // namespace leadline::probe::fem2d::csr
