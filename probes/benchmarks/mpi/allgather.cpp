// Every rank gets the blocks of all ranks: time until the last of them has all, by size and
// algorithm.
#include "algorithms/collectives/allgather/allgather.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto call = [allgather = chosen_algorithm<coll::Allgather>(point, MPI_Allgather),
                     count = static_cast<int>(point.bytes()),
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(allgather(out, count, MPI_BYTE, in, count, MPI_BYTE, communicator));
  };
  return collective(point, allgather_data(point, in_place(point)), Extent::kProcesses, call);
}

Benchmark declare() {
  using enum Guideline::Term::Size;
  return {
      .name = "mpi/allgather",
      .title = "MPI_Allgather",
      .summary =
          "time of MPI_Allgather; the bandwidth is that of the result, P blocks, however many "
          "bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's block"),
               algorithm_axis<coll::Allgather>(), buffers_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/gather"}, {"mpi/bcast", kTimesProcesses}}},
                     {{{"mpi/alltoall"}}},
                     {{{"mpi/allreduce", kTimesProcesses}}}},
  };
}

const Registration allgather{declare};

}  // namespace
}  // namespace leadline::probe
