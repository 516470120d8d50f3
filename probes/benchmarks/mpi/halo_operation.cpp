#include "benchmarks/mpi/halo_operation.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <utility>

#include "benchmarks/mpi/halo_borders.hpp"
#include "benchmarks/mpi/halo_exchange.hpp"
#include "comm/mpi_world.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

constexpr std::array kDimensionNames{"rows", "columns", "layers"};

std::vector<int> nodes_of_ranks(const World& world) {
  std::vector<int> nodes(static_cast<std::size_t>(world.size()));
  const int own = world.node();
  MPI_REQUIRE(MPI_Allgather(&own, 1, MPI_INT, nodes.data(), 1, MPI_INT, benchmark_communicator()));
  return nodes;
}

Assignment assign(const HaloProblem& problem, const World& world) {
  const std::vector<int> node_of_rank = nodes_of_ranks(world);
  Assignment assignment;
  assignment.node_of_cell =
      problem.bunched ? bunched_nodes(problem.grid, problem.steps, node_of_rank) : node_of_rank;
  const std::vector<int> cells = cells_of_ranks(node_of_rank, assignment.node_of_cell);
  assignment.own_cell = cells[static_cast<std::size_t>(world.rank())];
  assignment.rank_of_cell.resize(cells.size());
  for (std::size_t rank = 0; rank < cells.size(); ++rank) {
    assignment.rank_of_cell[static_cast<std::size_t>(cells[rank])] = static_cast<int>(rank);
  }
  return assignment;
}

// All messages of one exchange.
struct Traffic {
  double messages = 0.0;
  double bytes = 0.0;
  std::size_t largest = 0;
};

Traffic traffic_of(const HaloProblem& problem) {
  Traffic traffic;
  for (int cell = 0; cell < problem.grid.cells(); ++cell) {
    for (std::size_t step = 0; step < problem.steps.size(); ++step) {
      if (problem.grid.neighbour(cell, problem.steps[step]) == kNobody) continue;
      const std::size_t bytes = problem.bytes(cell, step);
      traffic.messages += 1.0;
      traffic.bytes += static_cast<double>(bytes);
      traffic.largest = std::max(traffic.largest, bytes);
    }
  }
  return traffic;
}

const ExchangePattern& named_pattern(const std::string& name) {
  const auto& all = exchange_patterns();
  const auto found = std::ranges::find(all, name, &ExchangePattern::name);
  if (found == all.end()) throw std::invalid_argument("pattern=" + name + " is no halo exchange");
  return *found;
}

// Each message has content of its own, by sender and direction, so that none can be taken for
// another. What has not come is not right either: the halo is spoilt before.
class HaloOperation {
 public:
  HaloOperation(Halo halo, const ExchangePattern& pattern, int rank)
      : halo_(std::move(halo)), exchange_(pattern.make(halo_)), rank_(rank) {}

  const std::vector<Border>& borders() const { return halo_.borders; }
  void call() {
    last_in_ = halo_.in.data();
    exchange_->call();
    halo_.out.step();
    halo_.in.step();
  }
  void fill(std::uint64_t seed) {
    fill_content(halo_.in.data(), halo_.in.bytes(), ~seed);
    for (const Border& border : halo_.borders) {
      fill_content(halo_.out.data() + border.offset, static_cast<std::size_t>(border.bytes),
                   content_seed(seed, rank_, border.out_tag));
    }
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    std::size_t wrong = 0;
    for (const Border& border : halo_.borders) {
      wrong += wrong_content(last_in_ + border.offset, static_cast<std::size_t>(border.bytes),
                             content_seed(seed, border.neighbour, border.in_tag));
    }
    return wrong;
  }

 private:
  static std::uint64_t content_seed(std::uint64_t seed, int sender, int tag) {
    return content_word(content_word(seed, static_cast<std::uint64_t>(sender)),
                        static_cast<std::uint64_t>(tag));
  }

  Halo halo_;
  std::unique_ptr<Exchange> exchange_;
  int rank_;
  const std::byte* last_in_ = nullptr;
};

std::vector<int> others(const std::vector<Border>& borders, int rank) {
  std::vector<int> ranks;
  for (const Border& border : borders) {
    if (border.neighbour != rank && std::ranges::find(ranks, border.neighbour) == ranks.end()) {
      ranks.push_back(border.neighbour);
    }
  }
  return ranks;
}

std::map<std::string, double> metrics_of(const HaloProblem& problem,
                                         const std::vector<int>& node_of_cell) {
  std::map<std::string, double> metrics;
  metrics["off_node_messages_per_node"] =
      busiest(off_node_messages(problem.grid, problem.steps, node_of_cell));
  for (std::size_t i = 0; i < problem.grid.extents().size(); ++i) {
    metrics[std::string("grid_") + kDimensionNames[i]] = problem.grid.extents()[i];
  }
  return metrics;
}

}  // namespace

std::vector<Axis> halo_axes(const std::vector<Axis>& own, const std::vector<std::string>& further,
                            const std::string& further_summary) {
  std::vector<std::string> names;
  std::string summary = "how the messages are exchanged";
  for (const ExchangePattern& each : exchange_patterns()) {
    names.push_back(each.name);
    summary.append("; ").append(each.name).append(": ").append(each.summary);
  }
  names.insert(names.end(), further.begin(), further.end());
  summary.append(further_summary);
  Axis pattern = choice_axis("pattern", summary, names);
  pattern.default_values = "staged,at_once,send_recv,bunched";
  Axis periodic = task_axis("periodic", "the edges of the grid are neighbours", {"yes", "no"});
  periodic.quick_values = "yes";
  std::vector<Axis> axes = own;
  axes.push_back(pattern);
  axes.push_back(periodic);
  axes.push_back({.name = "calls",
                  .kind = AxisKind::kInteger,
                  .summary = "exchanges in a row after a barrier, each timed on each task",
                  .default_values = "1000",
                  .minimum = 1,
                  .maximum = 1 << 20,
                  .quick_values = "200"});
  return axes;
}

Axis columns_axis() {
  return {.name = "columns",
          .kind = AxisKind::kInteger,
          .summary = "tasks from west to east; 0: as square a grid as possible",
          .default_values = "0",
          .minimum = 0};
}

Grid plane_grid(const Point& point) {
  const int tasks = point.world().size();
  const bool periodic = point.choice("periodic") == "yes";
  const auto columns = point.integer("columns");
  if (columns == 0) return {near_equal_factors(tasks, 2), periodic};
  if (tasks % columns != 0) {
    throw Unavailable(std::to_string(tasks) + " tasks do not fill a grid of " +
                      std::to_string(columns) + " columns");
  }
  return {{static_cast<int>(tasks / columns), static_cast<int>(columns)}, periodic};
}

HaloProblem halo_problem(const Point& point, Grid grid) {
  const std::string& pattern = point.choice("pattern");
  const bool corners = pattern == "corners";
  Steps steps = corners ? corner_steps() : face_steps(grid.dimensions());
  return {.grid = std::move(grid),
          .steps = std::move(steps),
          .pattern = corners ? "at_once" : pattern,
          .bunched = pattern == "bunched",
          .bytes = {}};
}

Operation prepare_halo(const Point& point, const HaloProblem& problem) {
  const World& world = point.world();
  const ExchangePattern& pattern = named_pattern(problem.pattern);
  const Traffic traffic = traffic_of(problem);
  if (traffic.messages == 0.0) throw Unavailable("no task has a neighbour on this grid");
  if (traffic.largest > INT_MAX) throw Unavailable("a message of this grid is larger than 2 GiB");
  if (pattern.fixed_buffers && point.cold()) {
    throw Unavailable("pattern=" + pattern.name + " uses the same buffers in every call");
  }
  constexpr std::size_t kCacheLine = 64;
  const std::size_t stride = (traffic.largest / kCacheLine + 1) * kCacheLine;
  const Assignment assignment = assign(problem, world);
  Halo halo{.borders = borders_of(problem, assignment, stride),
            .out = point.buffer(stride * problem.steps.size()),
            .in = point.buffer(stride * problem.steps.size()),
            .communicator = benchmark_communicator()};
  const auto exchange = std::make_shared<HaloOperation>(std::move(halo), pattern, world.rank());
  Operation operation = operation_of(exchange);
  operation.every_call = true;
  operation.repetitions = static_cast<std::uint32_t>(point.integer("calls"));
  operation.neighbours = others(exchange->borders(), world.rank());
  operation.moved_bytes = traffic.bytes / world.nodes();
  operation.messages = traffic.messages;
  // Rank 0's are those that are kept; of thousands of simulated ranks each would look at all.
  if (world.rank() == 0) {
    operation.metrics = [metrics = metrics_of(problem, assignment.node_of_cell)] {
      return metrics;
    };
  }
  return operation;
}

Series halo_series() {
  return {"halo",
          "one exchange with all neighbours, from before the first call to after the last on each "
          "task, which stops its own clock"};
}

}  // namespace leadline::probe
