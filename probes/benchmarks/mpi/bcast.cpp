// One rank's message reaches all ranks: time until the last of them has it, by size and algorithm.
#include "algorithms/collectives/bcast/bcast.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const int root = root_of(point);
  const auto call = [bcast = chosen_algorithm<coll::Bcast>(point, MPI_Bcast),
                     count = static_cast<int>(point.bytes()), root,
                     communicator = benchmark_communicator()](const void*, void* message) {
    MPI_REQUIRE(bcast(message, count, MPI_BYTE, root, communicator));
  };
  return collective(point, bcast_data(point, root), Extent::kOne, call);
}

Benchmark declare() {
  using enum Guideline::Term::Size;
  return {
      .name = "mpi/bcast",
      .title = "MPI_Bcast",
      .summary =
          "time of MPI_Bcast; the bandwidth is that of the message, however often it travels",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of the message"),
               algorithm_axis<coll::Bcast>(), root_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/scatter", kOverProcesses}, {"mpi/allgather", kOverProcesses}}}},
  };
}

const Registration bcast{declare};

}  // namespace
}  // namespace leadline::probe
