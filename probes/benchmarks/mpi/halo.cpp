// Tasks exchange messages of given sizes with their neighbours, on a plane in the north, south,
// west and east, or in a box across its six faces: every call's time on every task.
#include <algorithm>

#include "benchmarks/mpi/halo_operation.hpp"

namespace leadline::probe {
namespace {

// Of a corner: one number.
constexpr std::size_t kCornerBytes = sizeof(double);

Operation prepare_plane(const Point& point) {
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

Operation prepare_box(const Point& point) {
  const std::size_t bytes = point.bytes();
  const bool periodic = point.choice("periodic") == "yes";
  HaloProblem problem =
      halo_problem(point, {near_equal_factors(point.world().size(), 3), periodic});
  problem.bytes = [bytes](int, std::size_t) { return bytes; };
  Operation operation = prepare_halo(point, problem);
  operation.bytes = bytes;
  return operation;
}

// On this domain: what both have in common is added.
Benchmark halo_exchange(const char* domain, Benchmark own) {
  own.summary = std::string("time of a halo exchange of each task with its neighbours ") + domain +
                "; the bandwidth is that of a node: what its tasks send in one exchange, on "
                "average over the nodes";
  // As J. Hague has it: what one exchange is late by is not met by the next one.
  own.start = Start::kBarrier;
  own.sizes = kMessageSizes;
  own.series = {halo_series()};
  return own;
}

Benchmark declare_plane() {
  Axis bytes = bytes_axis("4K,40K", "size of each message to the north and the south");
  bytes.quick_values = "4K,40K";
  Axis east_west = bytes_axis("0", "size of each message to the west and the east; 0: the same");
  east_west.name = "bytes_east_west";
  east_west.quick_values = "0";
  return halo_exchange(
      "on a plane",
      {.name = "mpi/halo",
       .title = "Halo exchange",
       .axes = halo_axes({bytes, east_west, columns_axis()}, {"corners"},
                         "; corners: at_once with the diagonal neighbours too, which get 8 bytes"),
       .prepare = prepare_plane});
}

Benchmark declare_box() {
  Axis bytes = bytes_axis("4K,40K", "size of each of the six messages");
  bytes.quick_values = "4K";
  return halo_exchange("in a box", {.name = "mpi/halo3d",
                                    .title = "3-D halo exchange",
                                    .axes = halo_axes({bytes}),
                                    .prepare = prepare_box});
}

const Registration plane{declare_plane};
const Registration box{declare_box};

}  // namespace
}  // namespace leadline::probe
