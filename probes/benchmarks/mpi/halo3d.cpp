// Tasks in a box exchange messages of a given size with their neighbours across its six faces:
// every call's time on every task.
#include "benchmarks/mpi/halo_operation.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const std::size_t bytes = point.bytes();
  const bool periodic = point.choice("periodic") == "yes";
  HaloProblem problem =
      halo_problem(point, {near_equal_factors(point.world().size(), 3), periodic});
  problem.bytes = [bytes](int, std::size_t) { return bytes; };
  Operation operation = prepare_halo(point, problem);
  operation.bytes = bytes;
  return operation;
}

Benchmark declare() {
  Axis bytes = bytes_axis("4K,40K", "size of each of the six messages");
  bytes.quick_values = "4K";
  return {
      .name = "mpi/halo3d",
      .title = "3-D halo exchange",
      .summary =
          "time of a halo exchange of each task with its neighbours in a box; the bandwidth is "
          "that of a node: what its tasks send in one exchange, on average over the nodes",
      .axes = halo_axes({bytes}),
      .sizes = kMessageSizes,
      .series = {halo_series()},
      .start = Start::kBackToBack,
      .prepare = prepare,
  };
}

const Registration halo3d{declare};

}  // namespace
}  // namespace leadline::probe
