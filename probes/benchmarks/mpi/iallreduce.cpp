// How much of MPI_Iallreduce hides behind computation, by size.
#include <mpi.h>

#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto data = [&] { return summed(point, point.world().size(), false); };
  const auto call = [count = doubles(point), communicator = benchmark_communicator()](
                        const void* out, void* in, MPI_Request* request) {
    MPI_REQUIRE(MPI_Iallreduce(out, in, count, MPI_DOUBLE, MPI_SUM, communicator, request));
  };
  return overlapped_collective(point, data, call);
}

const Registration iallreduce{{
    .name = "mpi/iallreduce",
    .title = "MPI_Iallreduce",
    .summary = "MPI_Iallreduce of doubles with MPI_SUM alone, computation alone, and both together",
    .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's vector of doubles",
                        sizeof(double)),
             progress_axis()},
    .sizes = kCollectiveSizes,
    .processes = {},
    .series = overlap_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
