// Full multigrid: the modern reference for the same equations.
//
// The problem is solved on lattices of 4, 8, 16, ... intervals in turn, with quadratic triangles,
// each from the interpolated solution of the one before. On each, a cycle is one pass over the
// solution in double precision that corrects, relaxes and restricts the residual, and a V-cycle in
// single precision with linear triangles on the coarser lattices: restricted to them, quadratic
// triangles are linear ones (A. Brandt, Multi-level adaptive solutions to boundary-value problems,
// Math. Comput. 31, 1977; W. Briggs, V. E. Henson and S. McCormick, A multigrid tutorial, SIAM,
// 2000, chapter 3). The finest lattice is passed until its residual is small enough: these passes
// are the iterations.
#include <cmath>
#include <memory>
#include <vector>

#include "applications/fem2d/lattice.hpp"
#include "applications/fem2d/method.hpp"
#include "applications/fem2d/multigrid_field.hpp"
#include "applications/fem2d/multigrid_parts.hpp"
#include "applications/fem2d/multigrid_passes.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe::fem2d {
namespace {

using multigrid::Field;
using multigrid::Linear;
using multigrid::Part;
using multigrid::Quadratic;

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_REQUIRE(MPI_Comm_rank(communicator, &rank));
  return rank;
}

ProcessGrid grid_of(MPI_Comm communicator) {
  int processes = 1;
  MPI_REQUIRE(MPI_Comm_size(communicator, &processes));
  return process_grid(processes);
}

// ||r|| of the start vector, which is the boundary values: closed form.
double start_norm(const Case& problem) {
  const double n = static_cast<double>(problem.intervals());
  if (problem.problem == Problem::kB) {
    // 4 / 3 h^2 at (n - 1)^2 nodes without the (n / 2 - 1)^2 that are even in both directions.
    return 4.0 / 3.0 / (n * n) * std::sqrt((n - 1) * (n - 1) - (n / 2 - 1) * (n / 2 - 1));
  }
  // u = i / n in row 0: 4 / 3 u in row 1, -1 / 3 u in row 2 at even nodes, half of them on the
  // mirror.
  const auto sum_of_squares = [](double count) {
    return count * (count + 1) * (2 * count + 1) / 6;
  };
  const double row_1 = 16.0 / 9.0 * (sum_of_squares(n - 1) / (n * n) + 0.25);
  const double row_2 = 1.0 / 9.0 * (4 * sum_of_squares(n / 2 - 1) / (n * n) + 0.25);
  return std::sqrt(row_1 + row_2);
}

struct Level {
  Level(const Part& part, bool finest)
      : part(part),
        solution(part),
        correction(finest ? Part{} : part),
        right_side(finest ? Part{} : part) {}

  Part part;
  Field<double> solution;
  // Of linear triangles, which the finest lattice does not have.
  Field<float> correction;
  Field<float> right_side;
};

class Multigrid : public Solver {
 public:
  Multigrid(const Case& problem, MPI_Comm communicator, CommunicationTime& time)
      : problem_(problem),
        grid_(grid_of(communicator)),
        rank_(rank_in(communicator)),
        neighbours_(grid_, communicator, time) {}

  void assemble() override {
    levels_.clear();
    for (const Part& part : multigrid::parts(problem_, grid_, rank_)) {
      const bool finest = part.lattice_intervals == problem_.intervals();
      levels_.push_back(std::make_unique<Level>(part, finest));
    }
  }

  int solve(double scale) override {
    constexpr int kCyclesOnCoarsest = 6;
    traffic_ = 0.0;
    for (auto& level : levels_) set_boundary(*level, scale);
    const std::size_t finest = levels_.size() - 1;
    for (std::size_t l = 1; l < finest; ++l) {
      begin(l, scale);
      for (int cycle = 0; cycle < (l == 1 ? kCyclesOnCoarsest : 1); ++cycle) improve(l, scale);
    }
    const double at_start = std::abs(scale) * start_norm(problem_);
    const double enough = problem_.tolerance * at_start;
    double norm = begin(finest, scale);
    int iterations = 1;
    // A cycle divides the residual by about ten. One that does not halve it has met rounding.
    for (double before = 4.0 * norm; norm > enough && norm < 0.5 * before; ++iterations) {
      before = norm;
      norm = improve(finest, scale);
    }
    reduction_ = norm / at_start;
    return iterations;
  }

  double reduction() const override { return reduction_; }

  std::vector<double> values(std::span<const Node> nodes) override {
    std::vector<double> found;
    const Level& finest = *levels_.back();
    const auto& [columns, rows] = std::pair{finest.part.columns, finest.part.rows};
    for (const Node node : nodes) {
      const std::int64_t i = node.i - columns.first;
      const std::int64_t j = node.j - rows.first;
      const bool own =
          columns.own_begin <= i && i < columns.own_end && rows.own_begin <= j && j < rows.own_end;
      found.push_back(own ? finest.solution.at(i, j) : 0.0);
    }
    neighbours_.sum(found);
    return found;
  }

  double traffic_bytes() const override { return traffic_; }

 private:
  void set_boundary(Level& level, double scale) {
    if (level.part.empty() || level.part.rows.first != 0 || problem_.problem == Problem::kB) return;
    const double h = 1.0 / static_cast<double>(level.part.lattice_intervals);
    for (std::int64_t i = 0; i <= level.part.columns.intervals; ++i) {
      level.solution.at(i, 0) = scale * h * static_cast<double>(level.part.columns.first + i);
    }
  }

  Quadratic quadratic(Level& level, double scale) {
    const double n = static_cast<double>(level.part.lattice_intervals);
    return {level.part, level.solution, problem_.problem == Problem::kB ? scale / (n * n) : 0.0,
            double_rows_};
  }
  Linear linear(Level& level) {
    return {level.part, level.correction, level.right_side, float_rows_};
  }

  // Both return the norm of the residual.
  double begin(std::size_t l, double scale) {
    Level& fine = *levels_[l];
    Level& coarse = *levels_[l - 1];
    if (!coarse.part.replicated) neighbours_.fetch(coarse.part, coarse.solution);
    double squares = 0.0;
    if (!fine.part.empty()) {
      squares =
          multigrid::begin(quadratic(fine, scale), coarse.part, coarse.solution, coarse.right_side);
      traffic_ +=
          2 * fine.solution.bytes() + coarse.solution.bytes() + 2 * coarse.right_side.bytes();
    }
    return norm(l, squares);
  }
  double improve(std::size_t l, double scale) {
    Level& fine = *levels_[l];
    Level& coarse = *levels_[l - 1];
    if (!fine.part.replicated) {
      neighbours_.fetch(coarse.part, coarse.right_side);
      neighbours_.fetch(fine.part, fine.solution);
    }
    cycle(l - 1);
    double squares = 0.0;
    if (!fine.part.empty()) {
      squares = multigrid::improve(quadratic(fine, scale), coarse.part, coarse.correction,
                                   coarse.right_side);
      traffic_ +=
          2 * fine.solution.bytes() + coarse.correction.bytes() + 2 * coarse.right_side.bytes();
    }
    return norm(l, squares);
  }
  double norm(std::size_t l, double squares) {
    return l + 1 == levels_.size() ? std::sqrt(neighbours_.sum(squares)) : 0.0;
  }

  // The correction on lattice l, known with its halo.
  void cycle(std::size_t l) {
    Level& fine = *levels_[l];
    if (l == 0) return multigrid::solve_coarsest(linear(fine));
    Level& coarse = *levels_[l - 1];
    if (!fine.part.empty()) {
      multigrid::descend(linear(fine), coarse.part, coarse.right_side);
      traffic_ += 3 * fine.correction.bytes() + 2 * coarse.right_side.bytes();
    }
    if (!fine.part.replicated) neighbours_.fetch(coarse.part, coarse.right_side);
    cycle(l - 1);
    if (!fine.part.empty()) {
      multigrid::ascend(linear(fine), coarse.part, coarse.correction);
      traffic_ += 3 * fine.correction.bytes() + coarse.correction.bytes();
    }
    if (!fine.part.replicated) neighbours_.fetch(fine.part, fine.correction);
  }

  Case problem_;
  ProcessGrid grid_;
  int rank_;
  multigrid::Neighbours neighbours_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<double> double_rows_;
  std::vector<float> float_rows_;
  double traffic_ = 0.0;
  double reduction_ = 1.0;
};

const Method method{
    {.name = "multigrid",
     .summary = "full multigrid on the same equations, one pass over memory a cycle, until the "
                "residual's Euclidean norm is small enough, whatever norm says, or rounding keeps "
                "it from halving",
     .bytes_per_unknown = 14,
     .defined_iterations = false,
     .make = [](const Case& problem, MPI_Comm communicator,
                CommunicationTime& time) -> std::unique_ptr<Solver> {
       return std::make_unique<Multigrid>(problem, communicator, time);
     }}};

}  // namespace
}  // namespace leadline::probe::fem2d
