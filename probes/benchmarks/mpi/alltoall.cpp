// Every rank has a block for each rank: time until the last of them has all of its own, by size and
// algorithm.
#include "algorithms/collectives/alltoall/alltoall.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto call = [alltoall = chosen_algorithm<coll::Alltoall>(point, MPI_Alltoall),
                     count = static_cast<int>(point.bytes()),
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(alltoall(out, count, MPI_BYTE, in, count, MPI_BYTE, communicator));
  };
  return collective(point, alltoall_data(point, in_place(point)), Extent::kProcesses, call);
}

Benchmark declare() {
  return {
      .name = "mpi/alltoall",
      .title = "MPI_Alltoall",
      .summary =
          "time of MPI_Alltoall; the bandwidth is that of what one rank sends, P blocks, its own "
          "among them",
      .axes = {bytes_axis("8,64,512,4K,32K,256K", "size of the block for each rank"),
               algorithm_axis<coll::Alltoall>(), buffers_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/alltoallv"}}}},
  };
}

const Registration alltoall{declare};

}  // namespace
}  // namespace leadline::probe
