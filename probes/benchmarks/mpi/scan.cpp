// Every rank gets the sum of the vectors of all ranks up to its own: time until the last of them
// has it, by size and algorithm.
#include "algorithms/collectives/scan/scan.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto data = summed(point, point.world().rank() + 1, in_place(point));
  const auto call = [scan = chosen_algorithm<coll::Scan>(point, MPI_Scan), count = doubles(point),
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(scan(out, in, count, MPI_DOUBLE, MPI_SUM, communicator));
  };
  return collective(point, data, Extent::kOne, call);
}

Benchmark declare() {
  return {
      .name = "mpi/scan",
      .title = "MPI_Scan",
      .summary =
          "time of MPI_Scan of doubles with MPI_SUM, each rank with the sum of the ranks up "
          "to its own; the "
          "bandwidth is that of one rank's vector, however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's vector of doubles",
                          sizeof(double)),
               algorithm_axis<coll::Scan>(), buffers_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/exscan"}, {"mpi/reduce_local"}}}},
  };
}

const Registration scan{declare};

}  // namespace
}  // namespace leadline::probe
