// The published way to solve the FEM-2D reference problem: refine a mesh, assemble a matrix element
// by element, iterate with it. Nothing here knows that the mesh is a lattice.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "applications/communication_time.hpp"
#include "applications/fem2d/csr_system.hpp"
#include "applications/fem2d/method.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe::fem2d::csr {
namespace {

// However small the tolerance, it ends.
constexpr int kMostIterations = 1000;

// Conjugate gradients (M. Hestenes, E. Stiefel: Methods of conjugate gradients for solving linear
// systems, J. Res. NBS 49, 1952), with vectors of both types: one exchange with the neighbours, in
// the preconditioner, and two global sums an iteration.
class Conjugate {
 public:
  Conjugate(const Case& problem, System& system, MPI_Comm communicator, CommunicationTime& time)
      : case_(problem), system_(system), communicator_(communicator), time_(time) {
    const auto size = static_cast<std::size_t>(system.size());
    solution_.resize(size);
    direction_.resize(size);
    scratch_.resize(size);
    residuals_.resize(static_cast<std::size_t>(system.preconditioner->levels().size()));
  }

  int solve(double scale) {
    start(scale);
    Preconditioner::Products products = precondition();
    std::ranges::copy(scratch_, direction_.begin());
    const double start_norm = norm(products);
    const double limit = case_.tolerance * start_norm;
    for (int iterations = 1;; ++iterations) {
      std::array energy{system_.matrix.multiply(direction_, scratch_)};
      sum(energy);
      step(products.preconditioned / energy[0]);
      const double before = products.preconditioned;
      products = precondition();
      reduction_ = norm(products) / start_norm;
      // A norm that is no number ends it, too.
      if (!(norm(products) > limit) || iterations == kMostIterations) return iterations;
      turn(products.preconditioned / before);
    }
  }

  double reduction() const { return reduction_; }
  std::span<const double> solution() const { return solution_; }

 private:
  void sum(std::span<double> parts) {
    time_.of([&] {
      MPI_REQUIRE(MPI_Allreduce(MPI_IN_PLACE, parts.data(), static_cast<int>(parts.size()),
                                MPI_DOUBLE, MPI_SUM, communicator_));
    });
  }

  double norm(const Preconditioner::Products& products) const {
    return std::sqrt(case_.preconditioned_norm ? products.preconditioned : products.residual);
  }

  // Leaves the preconditioned residual in scratch_.
  Preconditioner::Products precondition() {
    const auto parts = system_.preconditioner->apply(residuals_, scratch_);
    std::array both{parts.residual, parts.preconditioned};
    sum(both);
    return {.residual = both[0], .preconditioned = both[1]};
  }

  // From the boundary values and 0 elsewhere.
  void start(double scale) {
    for (std::size_t i = 0; i < solution_.size(); ++i) {
      solution_[i] =
          system_.fixed[i] ? scale * boundary_value(case_.problem, system_.nodes[i]) : 0.0;
    }
    system_.matrix.multiply(solution_, scratch_);
    for (std::size_t i = 0; i < scratch_.size(); ++i) {
      const double load = system_.load.empty() ? 0.0 : scale * system_.load[i];
      residuals_[i] = load - scratch_[i];
    }
  }

  // Along the direction, whose product with the matrix is in scratch_.
  void step(double length) {
    for (std::size_t i = 0; i < solution_.size(); ++i) {
      solution_[i] += length * direction_[i];
      residuals_[i] -= length * scratch_[i];
    }
  }

  void turn(double factor) {
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      direction_[i] = scratch_[i] + factor * direction_[i];
    }
  }

  Case case_;
  System& system_;
  MPI_Comm communicator_;
  CommunicationTime& time_;
  std::vector<double> solution_;
  std::vector<double> direction_;
  std::vector<double> residuals_;  // on all levels, the finest first
  std::vector<double> scratch_;
  double reduction_ = 1.0;
};

class CsrSolver : public Solver {
 public:
  CsrSolver(const Case& problem, MPI_Comm communicator, CommunicationTime& time)
      : case_(problem), communicator_(communicator), time_(time) {}

  void assemble() override {
    conjugate_.reset();
    system_.reset();
    system_ = std::make_unique<System>(case_, communicator_, time_);
    conjugate_ = std::make_unique<Conjugate>(case_, *system_, communicator_, time_);
  }
  int solve(double scale) override { return iterations_ = conjugate_->solve(scale); }
  double reduction() const override { return conjugate_->reduction(); }
  std::vector<double> values(std::span<const Node> nodes) override;
  double traffic_bytes() const override;

 private:
  Case case_;
  MPI_Comm communicator_;
  CommunicationTime& time_;
  std::unique_ptr<System> system_;
  std::unique_ptr<Conjugate> conjugate_;
  int iterations_ = 0;
};

std::vector<double> CsrSolver::values(std::span<const Node> nodes) {
  std::multimap<std::pair<std::int64_t, std::int64_t>, std::size_t> wanted;
  for (std::size_t i = 0; i < nodes.size(); ++i) wanted.insert({{nodes[i].i, nodes[i].j}, i});
  const auto intervals = static_cast<double>(case_.intervals());
  std::vector<double> found(nodes.size(), -HUGE_VAL);
  for (std::size_t node = 0; node < system_->nodes.size(); ++node) {
    const auto& [x, y] = system_->nodes[node];
    const auto [first, last] =
        wanted.equal_range({std::llround(intervals * x), std::llround(intervals * y)});
    for (auto each = first; each != last; ++each) {
      found[each->second] = conjugate_->solution()[node];
    }
  }
  // All that have a node have the same value.
  MPI_REQUIRE(MPI_Allreduce(MPI_IN_PLACE, found.data(), static_cast<int>(found.size()), MPI_DOUBLE,
                            MPI_MAX, communicator_));
  return found;
}

double CsrSolver::traffic_bytes() const {
  constexpr double kNumber = sizeof(double);
  const auto size = static_cast<double>(system_->size());
  const double multiply = system_->matrix.bytes() + 3.0 * kNumber * size;
  const double step_and_turn = (6.0 + 3.0) * kNumber * size;
  return iterations_ * (multiply + step_and_turn + system_->preconditioner->bytes());
}

const Method csr{{
    .name = "csr",
    .summary = "refined mesh, matrix assembled element by element in compressed rows, as published",
    .bytes_per_unknown = 260,
    .defined_iterations = true,
    .make = [](const Case& problem, MPI_Comm communicator,
               CommunicationTime& time) -> std::unique_ptr<Solver> {
      return std::make_unique<CsrSolver>(problem, communicator, time);
    },
}};

}  // namespace
}  // namespace leadline::probe::fem2d::csr
