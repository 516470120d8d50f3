// All ranks add up vectors of doubles by a request that is made once: time of MPI_Start and
// MPI_Wait until the last of them has the sum, by size.
#include <mpi.h>

#include <memory>

#include "benchmarks/mpi/collective.hpp"
#include "benchmarks/mpi/persistent.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
#ifdef LEADLINE_HAS_PERSISTENT_COLLECTIVES
  const auto call = [requests = std::make_shared<PersistentRequests>(), count = doubles(point),
                     communicator = benchmark_communicator()](const void* out, void* in) {
    requests->call(out, in, [&](MPI_Request* request) {
      MPI_REQUIRE(MPI_Allreduce_init(out, in, count, MPI_DOUBLE, MPI_SUM, communicator,
                                     MPI_INFO_NULL, request));
    });
  };
  const SharedData data = summed(point, point.world().size(), in_place(point));
  return collective(point, data, Extent::kOne, call);
#else
  static_cast<void>(point);
  throw Unavailable("the library has no MPI_Allreduce_init");
#endif
}

const Registration allreduce_init{{
    .name = "mpi/allreduce_init",
    .title = "MPI_Allreduce_init",
    .summary =
        "time of MPI_Start and MPI_Wait of a persistent allreduce of doubles with MPI_SUM; the "
        "bandwidth is that of mpi/allreduce",
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
