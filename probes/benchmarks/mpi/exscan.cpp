// Every rank gets the sum of the vectors of all ranks before it: time until the last of them has
// it, by size.
#include <mpi.h>

#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto data = summed(point, point.world().rank(), in_place(point));
  const auto call = [count = doubles(point), communicator = benchmark_communicator()](
                        const void* out, void* in) {
    MPI_REQUIRE(MPI_Exscan(out, in, count, MPI_DOUBLE, MPI_SUM, communicator));
  };
  return collective(point, data, Extent::kOne, call);
}

const Registration exscan{{
    .name = "mpi/exscan",
    .title = "MPI_Exscan",
    .summary = "time of MPI_Exscan of doubles with MPI_SUM, each rank with the sum of the ranks "
               "before it; the "
               "bandwidth is that of one rank's vector, however many bytes travel",
    .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's vector of doubles",
                        sizeof(double)),
             buffers_axis()},
    .sizes = kCollectiveSizes,
    .processes = {},
    .series = completion(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
