// The FEM-2D reference problem, assembled and solved by preconditioned conjugate gradients: the
// time of each, and what of the solve is communication.
//
// The problem is fixed, so there is no content to draw. It is linear: its data are scaled by a
// power of two that differs from solve to solve, which changes every number and no iteration, so
// that the solution of an earlier solve is a wrong one.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "applications/communication_time.hpp"
#include "applications/fem2d/known.hpp"
#include "applications/fem2d/method.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/coordinate.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

enum SeriesIndex { kAssembly = 0, kPcg = 1 };
constexpr int kCoarseTriangles = 128;

fem2d::Case case_of(const Point& point) {
  return {.level = static_cast<int>(point.integer("level")),
          .problem = point.choice("problem") == "A" ? fem2d::Problem::kA : fem2d::Problem::kB,
          .coarse_solver = point.choice("coarse") == "exact",
          .tolerance = point.number("tolerance"),
          .preconditioned_norm = point.choice("norm") == "preconditioned"};
}

double unknowns(const fem2d::Case& problem) {
  const double nodes = static_cast<double>(problem.intervals() + 1);
  return nodes * nodes;
}

// What this node has to give, in bytes; no limit where the kernel does not say.
double free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kibibytes = 0.0;
  for (std::string unit; file >> name >> kibibytes; std::getline(file, unit)) {
    if (name == "MemAvailable:") return 1024.0 * kibibytes;
  }
  return std::numeric_limits<double>::infinity();
}

std::string gigabytes(double bytes) {
  std::string text = std::to_string(bytes / 1e9);
  return text.substr(0, text.find('.') + 2) + " GB";
}

// Throws on every process alike where any node has less memory than its processes will need.
void require_memory(World& world, const fem2d::Case& problem, double bytes_per_unknown) {
  const int node = world.node();
  std::vector<int> nodes(static_cast<std::size_t>(world.size()));
  MPI_REQUIRE(MPI_Allgather(&node, 1, MPI_INT, nodes.data(), 1, MPI_INT, benchmark_communicator()));
  const double processes = static_cast<double>(std::ranges::count(nodes, node));
  const int triangles = (kCoarseTriangles + world.size() - 1) / world.size();
  const double share = std::min(1.0, processes * triangles / kCoarseTriangles);
  const double needed = share * bytes_per_unknown * unknowns(problem);
  const double free = free_memory();
  if (agree(world, needed - free, take_maximum<double>) <= 0.0) return;
  throw Unavailable("level " + std::to_string(problem.level) + " needs about " +
                    gigabytes(agree(world, needed, take_maximum<double>)) +
                    " on a node and one has " +
                    gigabytes(-agree(world, -free, take_maximum<double>)) +
                    " free: choose a lower level or more nodes");
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One call on this process.
struct Spent {
  double assembly;
  double pcg;
  double communication;  // of the solve
};

class Application {
 public:
  Application(const Point& point, const fem2d::Method& method)
      : world_(point.world()), problem_(case_of(point)), method_(method.definition) {
    require_memory(world_, problem_, method_.bytes_per_unknown);
    solver_ = method_.make(problem_, benchmark_communicator(), communication_);
  }

  void assemble() {
    const double begin = MPI_Wtime();
    solver_->assemble();
    spent_.push_back({.assembly = MPI_Wtime() - begin, .pcg = 0.0, .communication = 0.0});
  }
  void solve() {
    communication_.reset();
    const double begin = MPI_Wtime();
    iterations_.push_back(solver_->solve(scale_));
    spent_.back().pcg = MPI_Wtime() - begin;
    spent_.back().communication = communication_.seconds();
  }
  void set_scale(std::uint64_t seed) { scale_ = std::ldexp(1.0, static_cast<int>(seed % 64) - 32); }

  // Eight for every number that is not what it must be.
  std::size_t wrong_bytes() const {
    const std::size_t wrong = wrong_values() + (iterations_right() ? 0 : 1);
    return wrong * sizeof(double);
  }

  std::map<std::string, double> metrics() const {
    const double processes = world_.size();
    const double pcg = slowest(&Spent::pcg);
    std::vector<double> mean;
    std::vector<double> most;
    for (const Spent& each : spent_) {
      const double percent = 100.0 * each.communication / each.pcg;
      mean.push_back(agree(world_, percent, take_sum<double>) / processes);
      most.push_back(agree(world_, percent, take_maximum<double>));
    }
    const double traffic = agree(world_, solver_->traffic_bytes(), take_sum<double>);
    return {{"iterations", iterations_.back()},
            {"reduction", solver_->reduction()},
            {"unknowns", unknowns(problem_)},
            {"assembly_s", slowest(&Spent::assembly)},
            {"pcg_s", pcg},
            {"problem_size", unknowns(problem_)},
            {"pcg.communication_percent", median(mean)},
            {"pcg.communication_max_percent", median(most)},
            {"traffic_bytes", traffic / processes},
            {"traffic_MBps", 1e-6 * traffic / pcg}};
  }

 private:
  // Median over the calls of the time on the slowest process.
  double slowest(double Spent::* part) const {
    std::vector<double> times;
    for (const Spent& each : spent_) {
      times.push_back(agree(world_, each.*part, take_maximum<double>));
    }
    return median(times);
  }

  std::size_t wrong_values() const {
    constexpr std::array<std::array<int, 2>, 5> kQuarters{{{2, 2}, {1, 1}, {3, 1}, {1, 3}, {3, 3}}};
    std::vector<fem2d::Node> nodes;
    for (const auto& [x, y] : kQuarters) {
      nodes.push_back({x * problem_.intervals() / 4, y * problem_.intervals() / 4});
    }
    const std::vector<double> found = solver_->values(nodes);
    const double bound = fem2d::known_value_bound(problem_);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double right =
          fem2d::known_value(problem_.problem, kQuarters[i][0] / 4.0, kQuarters[i][1] / 4.0);
      // A value that is no number is wrong, too.
      if (!(std::abs(found[i] / scale_ - right) <= bound)) ++wrong;
    }
    return wrong;
  }

  // The same in every call and on every process, and the published number where there is one.
  bool iterations_right() const {
    const auto [least, most] = std::ranges::minmax(iterations_);
    if (agree(world_, most, take_maximum<int>) != -agree(world_, -least, take_maximum<int>)) {
      return false;
    }
    const auto known = fem2d::known_iterations(problem_);
    return !method_.defined_iterations || !known || std::abs(most - *known) <= 1;
  }

  World& world_;
  fem2d::Case problem_;
  fem2d::Method::Definition method_;
  CommunicationTime communication_;
  std::unique_ptr<fem2d::Solver> solver_;
  double scale_ = 1.0;
  std::vector<Spent> spent_;
  std::vector<int> iterations_;
};

Operation prepare(const Point& point) {
  require_real("a computation takes no time");
  const auto& method = *fem2d::Method::all().at(point.choice("method"));
  const auto application = std::make_shared<Application>(point, method);
  Operation operation;
  operation.call = [application] { application->assemble(); };
  operation.series = kAssembly;
  operation.then = {{[application] { application->solve(); }, kPcg}};
  operation.fill = [application](std::uint64_t seed) { application->set_scale(seed); };
  operation.wrong_bytes = [application](std::uint64_t) { return application->wrong_bytes(); };
  operation.every_call = true;
  operation.metrics = [application] { return application->metrics(); };
  return operation;
}

// Those whose iterations are the problem's own are measured unless another is asked for.
Axis method_axis() {
  std::vector<std::string> names;
  std::string summary = "how the problem is solved";
  std::string defaults;
  for (const auto& [name, method] : fem2d::Method::all()) {
    names.emplace_back(name);
    summary.append("; ").append(name).append(": ").append(method->definition.summary);
    if (method->definition.defined_iterations) {
      defaults.append(defaults.empty() ? "" : ",").append(name);
    }
  }
  return {"method", AxisKind::kChoice, summary, defaults, names};
}

Benchmark declare() {
  Axis level{"level", AxisKind::kInteger,
             "refinements of the 128 triangles: (16 * 2^level + 1)^2 unknowns", "5"};
  level.minimum = 3;
  level.maximum = 11;
  level.quick_values = "3";
  Axis coarse = choice_axis("coarse",
                            "what solves on the 81 nodes of the coarsest mesh: the scaling "
                            "of its diagonal, as published, or an exact solver",
                            {"none", "exact"});
  coarse.quick_values = "none";
  Axis problem = task_axis(
      "problem", "A: Laplace's equation with mixed boundary values; B: a right-hand side of 1",
      {"A", "B"});
  Axis norm = task_axis("norm",
                        "what the tolerance is for: the residual's Euclidean norm, or its "
                        "norm with the preconditioner",
                        {"residual", "preconditioned"});
  norm.quick_values = "residual";
  Axis tolerance{"tolerance", AxisKind::kNumber,
                 "the solve ends when the norm has fallen to this share", "1e-6"};
  tolerance.minimum = 1e-12;
  tolerance.maximum = 0.1;
  return {
      .name = "app/fem2d",
      .title = "FEM-2D solver",
      .summary =
          "the FEM-2D reference problem: time to assemble it and to solve it by preconditioned "
          "conjugate gradients, iterations, and the share of communication",
      .axes = {std::move(level), method_axis(), std::move(problem), std::move(coarse),
               std::move(tolerance), std::move(norm)},
      .processes = {.minimum = 1, .maximum = kCoarseTriangles},
      .series = {{"assembly",
                  "mesh and matrix, from leaving the barrier to the return on each rank, the last "
                  "of which stops the clock; what a method without a matrix prepares instead"},
                 {"pcg",
                  "the solve, from leaving the barrier after that to the return on each rank, the "
                  "last of which stops the clock"}},
      .start = Start::kBarrier,
      .prepare = prepare,
      .starts = {Start::kBarrier, Start::kBackToBack},
  };
}

const Registration fem2d_benchmark{declare};

}  // namespace
}  // namespace leadline::probe
