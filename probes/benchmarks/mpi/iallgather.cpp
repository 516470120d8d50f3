// How much of MPI_Iallgather hides behind computation, by size.
#include <mpi.h>

#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto data = [&] { return allgather_data(point, false); };
  const auto call = [count = static_cast<int>(point.bytes()),
                     communicator = benchmark_communicator()](const void* out, void* in,
                                                              MPI_Request* request) {
    MPI_REQUIRE(MPI_Iallgather(out, count, MPI_BYTE, in, count, MPI_BYTE, communicator, request));
  };
  return overlapped_collective(point, data, call);
}

const Registration iallgather{{
    .name = "mpi/iallgather",
    .title = "MPI_Iallgather",
    .summary = "MPI_Iallgather alone, computation alone, and both together",
    .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's block"), progress_axis()},
    .sizes = kCollectiveSizes,
    .processes = {},
    .series = overlap_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
