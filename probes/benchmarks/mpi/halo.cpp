// Tasks on a plane exchange messages of given sizes with their neighbours in the north, south, west
// and east: every call's time on every task.
#include <algorithm>

#include "benchmarks/mpi/halo_operation.hpp"

namespace leadline::probe {
namespace {

// Of a corner: one number.
constexpr std::size_t kCornerBytes = sizeof(double);

Operation prepare(const Point& point) {
  const std::size_t north_south = point.bytes();
  const std::size_t given = point.bytes("bytes_east_west");
  const std::size_t east_west = given > 0 ? given : north_south;
  HaloProblem problem = halo_problem(point, plane_grid(point));
  problem.bytes = [=, steps = problem.steps](int, std::size_t step) {
    const bool moves_south = steps[step][0] != 0;
    const bool moves_east = steps[step][1] != 0;
    if (moves_south && moves_east) return std::min(north_south, kCornerBytes);
    return moves_south ? north_south : east_west;
  };
  Operation operation = prepare_halo(point, problem);
  operation.bytes = north_south;
  return operation;
}

Benchmark declare() {
  Axis bytes = bytes_axis("4K,40K", "size of each message to the north and the south");
  bytes.quick_values = "4K,40K";
  Axis east_west = bytes_axis("0", "size of each message to the west and the east; 0: the same");
  east_west.name = "bytes_east_west";
  east_west.quick_values = "0";
  return {
      .name = "mpi/halo",
      .title = "Halo exchange",
      .summary =
          "time of a halo exchange of each task with its neighbours on a plane; the bandwidth is "
          "that of a node: what its tasks send in one exchange, on average over the nodes",
      .axes = halo_axes({bytes, east_west, columns_axis()}, {"corners"},
                        "; corners: at_once with the diagonal neighbours too, which get 8 bytes"),
      .sizes = kMessageSizes,
      .series = {halo_series()},
      .start = Start::kBackToBack,
      .prepare = prepare,
  };
}

const Registration halo{declare};

}  // namespace
}  // namespace leadline::probe
