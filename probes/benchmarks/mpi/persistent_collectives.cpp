// Collectives by a request that is made once: time of MPI_Start and MPI_Wait until the last rank is
// done.
#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "benchmarks/mpi/collective.hpp"
#include "benchmarks/mpi/meeting.hpp"

namespace leadline::probe {
namespace {

// MPI 4.1, sections 6.13.1 and 6.13.8. Open MPI 5 has the functions, and calls itself MPI 3.1.
using AllreduceInit = int(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                          MPI_Request*);
using BarrierInit = int(MPI_Comm, MPI_Info, MPI_Request*);

template <typename Function>
Function* persistent(const char* name) {
  Function* const function = newer_function<Function>(name);
  if (function == nullptr) throw Unavailable(std::string("the library has no ") + name);
  return function;
}

// One request for each pair of buffers, made when they are first used: in a call that warms up,
// where buffers are always the same.
class PersistentRequests {
 public:
  PersistentRequests() = default;
  ~PersistentRequests() {
    for (auto& [buffers, request] : requests_) MPI_REQUIRE(MPI_Request_free(&request));
  }
  PersistentRequests(const PersistentRequests&) = delete;
  PersistentRequests& operator=(const PersistentRequests&) = delete;

  // `make(request)` on all ranks alike.
  template <typename Make>
  void call(const void* out, const void* in, const Make& make) {
    const auto [found, is_new] = requests_.try_emplace({out, in}, MPI_REQUEST_NULL);
    if (is_new) make(&found->second);
    MPI_REQUIRE(MPI_Start(&found->second));
    MPI_REQUIRE(MPI_Wait(&found->second, MPI_STATUS_IGNORE));
  }

 private:
  std::map<std::pair<const void*, const void*>, MPI_Request> requests_;
};

Operation prepare_allreduce(const Point& point) {
  const auto call = [allreduce_init = persistent<AllreduceInit>("MPI_Allreduce_init"),
                     requests = std::make_shared<PersistentRequests>(), count = doubles(point),
                     communicator = benchmark_communicator()](const void* out, void* in) {
    requests->call(out, in, [&](MPI_Request* request) {
      MPI_REQUIRE(allreduce_init(out, in, count, MPI_DOUBLE, MPI_SUM, communicator, MPI_INFO_NULL,
                                 request));
    });
  };
  const SharedData data = summed(point, point.world().size(), in_place(point));
  return collective(point, data, Extent::kOne, call);
}

Operation prepare_barrier(const Point& point) {
  return meeting_operation(point, [barrier_init = persistent<BarrierInit>("MPI_Barrier_init"),
                                   requests = std::make_shared<PersistentRequests>(),
                                   communicator = benchmark_communicator()] {
    requests->call(nullptr, nullptr, [&](MPI_Request* request) {
      MPI_REQUIRE(barrier_init(communicator, MPI_INFO_NULL, request));
    });
  });
}

const Registration allreduce_init{blocking({
    .name = "mpi/allreduce_init",
    .title = "MPI_Allreduce_init",
    .summary =
        "time of MPI_Start and MPI_Wait of a persistent allreduce of doubles with MPI_SUM; the "
        "bandwidth is that of mpi/allreduce",
    .axes = {bytes_axis(kCollectiveValues, "size of each rank's vector of doubles", sizeof(double)),
             buffers_axis()},
    .prepare = prepare_allreduce,
})};
const Registration barrier_init{blocking({
    .name = "mpi/barrier_init",
    .title = "MPI_Barrier_init",
    .summary = "time of MPI_Start and MPI_Wait of a persistent barrier",
    .axes = {},
    .prepare = prepare_barrier,
})};

}  // namespace
}  // namespace leadline::probe
