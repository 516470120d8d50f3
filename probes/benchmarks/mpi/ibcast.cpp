// How much of MPI_Ibcast hides behind computation, by size.
#include <mpi.h>

#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const int root = root_of(point);
  const auto data = [&] { return bcast_data(point, root); };
  const auto call = [count = static_cast<int>(point.bytes()), root,
                     communicator = benchmark_communicator()](const void*, void* message,
                                                              MPI_Request* request) {
    MPI_REQUIRE(MPI_Ibcast(message, count, MPI_BYTE, root, communicator, request));
  };
  return overlapped_collective(point, data, call);
}

const Registration ibcast{{
    .name = "mpi/ibcast",
    .title = "MPI_Ibcast",
    .summary = "MPI_Ibcast alone, computation alone, and both together",
    .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of the message"), progress_axis(),
             root_axis()},
    .sizes = kCollectiveSizes,
    .processes = {},
    .series = overlap_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
