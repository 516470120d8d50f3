// How much of MPI_Ialltoall hides behind computation, by size.
#include <mpi.h>

#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto data = [&] { return alltoall_data(point, false); };
  const auto call = [count = static_cast<int>(point.bytes()),
                     communicator = benchmark_communicator()](const void* out, void* in,
                                                              MPI_Request* request) {
    MPI_REQUIRE(MPI_Ialltoall(out, count, MPI_BYTE, in, count, MPI_BYTE, communicator, request));
  };
  return overlapped_collective(point, data, call);
}

const Registration ialltoall{{
    .name = "mpi/ialltoall",
    .title = "MPI_Ialltoall",
    .summary = "MPI_Ialltoall alone, computation alone, and both together",
    .axes = {bytes_axis("8,64,512,4K,32K,256K", "size of the block for each rank"),
             progress_axis()},
    .sizes = kCollectiveSizes,
    .processes = {},
    .series = overlap_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
