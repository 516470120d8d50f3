// Every rank gets the sum of the vectors of all ranks before it: time until the last of them has
// it, by size and algorithm.
#include "algorithms/collectives/exscan/exscan.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto data = summed(point, point.world().rank(), in_place(point));
  const auto call = [exscan = chosen_algorithm<coll::Exscan>(point, MPI_Exscan),
                     count = doubles(point),
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(exscan(out, in, count, MPI_DOUBLE, MPI_SUM, communicator));
  };
  return collective(point, data, Extent::kOne, call);
}

Benchmark declare() {
  return {
      .name = "mpi/exscan",
      .title = "MPI_Exscan",
      .summary =
          "time of MPI_Exscan of doubles with MPI_SUM, each rank with the sum of the ranks "
          "before it; the "
          "bandwidth is that of one rank's vector, however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's vector of doubles",
                          sizeof(double)),
               algorithm_axis<coll::Exscan>(), buffers_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration exscan{declare};

}  // namespace
}  // namespace leadline::probe
