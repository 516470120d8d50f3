// One rank gets the blocks of all ranks: time until the last rank is done, by size and algorithm.
#include "algorithms/collectives/gather/gather.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const int root = root_of(point);
  const auto call = [gather = chosen_algorithm<coll::Gather>(point, MPI_Gather),
                     count = static_cast<int>(point.bytes()), root,
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(gather(out, count, MPI_BYTE, in, count, MPI_BYTE, root, communicator));
  };
  return collective(point, gather_data(point, root, in_place(point)), Extent::kProcesses, call);
}

Benchmark declare() {
  using enum Guideline::Term::Size;
  return {
      .name = "mpi/gather",
      .title = "MPI_Gather",
      .summary =
          "time of MPI_Gather, until the last rank is done; the bandwidth is that of the result, P "
          "blocks, however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's block"),
               algorithm_axis<coll::Gather>(), buffers_axis(), root_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/allgather"}}}, {{{"mpi/reduce", kTimesProcesses}}}},
  };
}

const Registration gather{declare};

}  // namespace
}  // namespace leadline::probe
