// How much of MPI_Ireduce hides behind computation, by size.
#include <mpi.h>

#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const int root = root_of(point);
  const auto data = [&] {
    return summed(point, point.world().rank() == root ? point.world().size() : 0, false);
  };
  const auto call = [count = doubles(point), root, communicator = benchmark_communicator()](
                        const void* out, void* in, MPI_Request* request) {
    MPI_REQUIRE(MPI_Ireduce(out, in, count, MPI_DOUBLE, MPI_SUM, root, communicator, request));
  };
  return overlapped_collective(point, data, call);
}

const Registration ireduce{{
    .name = "mpi/ireduce",
    .title = "MPI_Ireduce",
    .summary = "MPI_Ireduce of doubles with MPI_SUM alone, computation alone, and both together",
    .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's vector of doubles",
                        sizeof(double)),
             progress_axis(), root_axis()},
    .sizes = kCollectiveSizes,
    .processes = {},
    .series = overlap_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
