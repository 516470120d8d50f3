#include "applications/fem2d/csr_preconditioner.hpp"

#include <algorithm>
#include <utility>

#include "applications/fem2d/csr_matrix.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe::fem2d::csr {
namespace {

// In place, by Gauss and Jordan; the matrix is symmetric and positive definite.
void invert(std::vector<double>& matrix, std::size_t size) {
  for (std::size_t pivot = 0; pivot < size; ++pivot) {
    double* const row = &matrix[pivot * size];
    const double factor = 1.0 / std::exchange(row[pivot], 1.0);
    for (std::size_t j = 0; j < size; ++j) row[j] *= factor;
    for (std::size_t i = 0; i < size; ++i) {
      if (i == pivot) continue;
      double* const other = &matrix[i * size];
      const double multiple = std::exchange(other[pivot], 0.0);
      for (std::size_t j = 0; j < size; ++j) other[j] -= multiple * row[j];
    }
  }
}

}  // namespace

CoarseSolver::CoarseSolver(const Mesh& coarse, std::span<const char> fixed,
                           std::vector<Index> nodes, MPI_Comm communicator, CommunicationTime& time)
    : nodes_(std::move(nodes)),
      communicator_(communicator),
      time_(time),
      inverse_(coarse.nodes.size() * coarse.nodes.size()),
      right_(coarse.nodes.size()) {
  const std::size_t size = right_.size();
  for (const Triangle& triangle : coarse.triangles) {
    const auto element = linear_element_matrix(vertices_of(coarse, triangle));
    for (std::size_t i = 0; i < 3; ++i) {
      const auto row = static_cast<std::size_t>(triangle.vertices[i]);
      for (std::size_t j = 0; j < 3; ++j) {
        const auto column = static_cast<std::size_t>(triangle.vertices[j]);
        if (!fixed[row] && !fixed[column]) inverse_[row * size + column] += element[i][j];
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (fixed[i]) inverse_[i * size + i] = 1.0;
  }
  invert(inverse_, size);
  for (std::size_t i = 0; i < size; ++i) {
    if (fixed[i]) inverse_[i * size + i] = 0.0;
  }
}

void CoarseSolver::solve(std::span<const double> right, std::span<double> solution) {
  std::ranges::fill(right_, 0.0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    right_[static_cast<std::size_t>(nodes_[i])] = right[i];
  }
  time_.of([this] {
    MPI_REQUIRE(MPI_Allreduce(MPI_IN_PLACE, right_.data(), static_cast<int>(right_.size()),
                              MPI_DOUBLE, MPI_SUM, communicator_));
  });
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double* const row = &inverse_[static_cast<std::size_t>(nodes_[i]) * right_.size()];
    double sum = 0.0;
    for (std::size_t j = 0; j < right_.size(); ++j) sum += row[j] * right_[j];
    solution[i] = sum;
  }
}

Preconditioner::Preconditioner(Levels levels, std::vector<std::vector<Edge>> fathers,
                               std::vector<double> inverse_diagonals, Interface interface,
                               std::optional<CoarseSolver> coarse)
    : levels_(std::move(levels)),
      fathers_(std::move(fathers)),
      inverse_diagonals_(std::move(inverse_diagonals)),
      interface_(std::move(interface)),
      coarse_(std::move(coarse)),
      coarse_solution_(static_cast<std::size_t>(levels_.nodes.front())) {}

Preconditioner::Products Preconditioner::apply(std::span<double> residuals, std::span<double> z) {
  const int finest = levels_.finest();
  for (int level = finest; level > 0; --level) restrict_from(level, residuals.data());
  const double* const coarsest = residuals.data() + levels_.offsets.front();
  if (coarse_) coarse_->solve({coarsest, coarse_solution_.size()}, coarse_solution_);
  // Up to here everything was of type II; what is interpolated has to be of type I.
  interface_.accumulate(residuals);
  if (coarse_) {
    std::ranges::copy(coarse_solution_, z.begin());
  } else {
    const double* const inverse = inverse_diagonals_.data() + levels_.offsets.front();
    for (Index i = 0; i < levels_.nodes.front(); ++i) z[i] = inverse[i] * coarsest[i];
  }
  Products products{};
  for (int level = 1; level <= finest; ++level) {
    products = prolongate_to(level, residuals.data(), z.data());
  }
  for (const auto& [position, first, own, sum] : interface_.finest()) {
    const auto index = static_cast<std::size_t>(position);
    residuals[index] = own;
    if (first) continue;
    products.residual -= sum * sum;
    products.preconditioned -= sum * z[index];
  }
  return products;
}

void Preconditioner::restrict_from(int level, double* residuals) const {
  const auto index = static_cast<std::size_t>(level);
  const double* const fine = residuals + levels_.offsets[index];
  double* const coarse = residuals + levels_.offsets[index - 1];
  const Index old = levels_.nodes[index - 1];
  std::copy_n(fine, old, coarse);
  const double* child = fine + old;
  for (const auto& [a, b] : fathers_[index - 1]) {
    const double half = 0.5 * *child++;
    coarse[a] += half;
    coarse[b] += half;
  }
}

// Returns the dot products on this level as if no node were shared.
Preconditioner::Products Preconditioner::prolongate_to(int level, const double* residuals,
                                                       double* z) const {
  const auto index = static_cast<std::size_t>(level);
  const std::int64_t offset = levels_.offsets[index];
  const double* const r = residuals + offset;
  const double* const inverse = inverse_diagonals_.data() + offset;
  const Index old = levels_.nodes[index - 1];
  Products products{};
  const auto count = [&](Index node) {
    products.residual += r[node] * r[node];
    products.preconditioned += r[node] * z[node];
  };
  Index i = old;
  for (const auto& [a, b] : fathers_[index - 1]) {
    z[i] = inverse[i] * r[i] + 0.5 * (z[a] + z[b]);
    count(i++);
  }
  // Fathers last: their children take what they had on the level before.
  for (i = 0; i < old; ++i) {
    z[i] += inverse[i] * r[i];
    count(i);
  }
  return products;
}

double Preconditioner::bytes() const {
  double bytes = 0.0;
  for (std::size_t level = 1; level < levels_.nodes.size(); ++level) {
    const double old = levels_.nodes[level - 1];
    const double all = levels_.nodes[level];
    const double lists = static_cast<double>(sizeof(Edge)) * (all - old);
    // Down: read all, write the old ones. Up: residuals and diagonals, z of the old ones read and
    // written, that of the new ones written.
    const double down = all + 2.0 * old;
    const double up = 2.0 * all + 2.0 * all;
    bytes += 2.0 * lists + static_cast<double>(sizeof(double)) * (down + up);
  }
  return bytes;
}

}  // namespace leadline::probe::fem2d::csr
