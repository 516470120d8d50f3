// A square grid of points is divided among the tasks, which exchange its halo: the sizes of the
// messages follow from the points, the fields and the width of the halo.
#include <cstdint>

#include "benchmarks/mpi/halo_operation.hpp"

namespace leadline::probe {
namespace {

// Points along one edge of a task's part, where the first tasks take what is left over.
std::size_t share(std::int64_t points, int tasks, int task) {
  return static_cast<std::size_t>(points / tasks + (task < points % tasks ? 1 : 0));
}

Operation prepare(const Point& point) {
  const std::int64_t edge = point.integer("edge");
  const auto width = static_cast<std::size_t>(point.integer("width"));
  const std::size_t data = sizeof(double) * static_cast<std::size_t>(point.integer("fields"));
  HaloProblem problem = halo_problem(point, plane_grid(point));
  const Grid& grid = problem.grid;
  for (const int tasks : grid.extents()) {
    if (share(edge, tasks, tasks - 1) < width) {
      throw Unavailable("parts of a grid of edge " + std::to_string(edge) + " are narrower than " +
                        "their halo of " + std::to_string(width));
    }
  }
  problem.bytes = [=, steps = problem.steps](int cell, std::size_t step) {
    const Coordinates position = grid.position(cell);
    const auto along = [&](std::size_t i) {
      return steps[step][i] != 0 ? width : share(edge, grid.extents()[i], position[i]);
    };
    return data * along(0) * along(1);
  };
  return prepare_halo(point, problem);
}

Axis count_axis(std::string name, std::string summary, std::string default_values) {
  return {.name = std::move(name),
          .kind = AxisKind::kInteger,
          .summary = std::move(summary),
          .default_values = std::move(default_values),
          .minimum = 1};
}

Benchmark declare() {
  std::vector<Axis> axes =
      halo_axes({count_axis("edge", "points along one edge of the whole grid", "1024"),
                 count_axis("fields", "numbers of 8 bytes at each point", "1"),
                 count_axis("width", "points across the halo", "1"), columns_axis()},
                {"corners"}, "; corners: at_once with the diagonal neighbours too");
  for (Axis& axis : axes) {
    if (axis.name == "pattern") axis.default_values = axis.quick_values = "at_once,corners";
  }
  return {
      .name = "mpi/halo_domain",
      .title = "2-D halo exchange",
      .summary =
          "time of the halo exchange of a square grid that is divided among the tasks; the "
          "bandwidth is that of a node: what its tasks send in one exchange, on average over the "
          "nodes",
      .axes = axes,
      .series = {halo_series()},
      .prepare = prepare,
  };
}

const Registration halo_domain{declare};

}  // namespace
}  // namespace leadline::probe
