#include "schedules/halo.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "benchmarks/mpi/halo_borders.hpp"
#include "benchmarks/mpi/halo_exchange.hpp"
#include "benchmarks/mpi/halo_grid.hpp"
#include "comm/mpi_world.hpp"
#include "schedules/recorder/recorder.hpp"

namespace leadline::probe {

// The recorder's MPI returns nothing but MPI_SUCCESS.
void require_success(int code, const char* call) {
  if (code != MPI_SUCCESS) throw std::logic_error(call);
}

}  // namespace leadline::probe

namespace leadline::replay {

Schedule halo_schedule(const HaloPlan& plan, std::size_t most_steps,
                       const std::function<void(int)>& done) {
  const auto& patterns = probe::exchange_patterns();
  const auto pattern = std::ranges::find(patterns, plan.pattern, &probe::ExchangePattern::name);
  if (pattern == patterns.end()) throw std::invalid_argument("no pattern " + plan.pattern);
  const int size = static_cast<int>(plan.node_of.size());
  probe::HaloProblem problem{.grid = {probe::near_equal_factors(size, 2), plan.periodic},
                             .steps = probe::face_steps(2),
                             .pattern = plan.pattern,
                             .bunched = plan.pattern == "bunched",
                             .bytes = [&](int, std::size_t) { return plan.bytes; }};
  const std::vector<int> nodes(plan.node_of.begin(), plan.node_of.end());
  probe::Assignment assignment;
  assignment.node_of_cell =
      problem.bunched ? probe::bunched_nodes(problem.grid, problem.steps, nodes) : nodes;
  const std::vector<int> cells = probe::cells_of_ranks(nodes, assignment.node_of_cell);
  assignment.rank_of_cell.resize(cells.size());
  for (std::size_t rank = 0; rank < cells.size(); ++rank) {
    assignment.rank_of_cell[static_cast<std::size_t>(cells[rank])] = static_cast<int>(rank);
  }
  const auto exchange = [&](int rank) {
    assignment.own_cell = cells[static_cast<std::size_t>(rank)];
    // No data are touched, so no room is needed for them.
    probe::Halo halo{.borders = probe::borders_of(problem, assignment, 0),
                     .out = probe::Buffer(1, false),
                     .in = probe::Buffer(1, false),
                     .communicator = MPI_COMM_WORLD};
    pattern->make(halo)->call();
  };
  return record_all(size, most_steps, exchange, done);
}

}  // namespace leadline::replay
