// All ranks meet by a request that is made once: time of MPI_Start and MPI_Wait until the last of
// them may go on.
#include <mpi.h>

#include <memory>

#include "benchmarks/mpi/collective.hpp"
#include "benchmarks/mpi/meeting.hpp"
#include "benchmarks/mpi/persistent.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
#ifdef LEADLINE_HAS_PERSISTENT_COLLECTIVES
  const auto meeting = std::make_shared<Meeting>(point.world());
  Operation operation;
  operation.call = [meeting, requests = std::make_shared<PersistentRequests>(),
                    communicator = benchmark_communicator()] {
    meeting->arrive();
    requests->call(nullptr, nullptr, [&](MPI_Request* request) {
      MPI_REQUIRE(MPI_Barrier_init(communicator, MPI_INFO_NULL, request));
    });
    meeting->leave();
  };
  // A rank comes late to it.
  operation.verified_call = operation.call;
  operation.fill = [meeting](std::uint64_t seed) { meeting->fill(seed); };
  operation.wrong_bytes = [meeting](std::uint64_t) { return meeting->wrong_bytes(); };
  return operation;
#else
  static_cast<void>(point);
  throw Unavailable("the library has no MPI_Barrier_init");
#endif
}

const Registration barrier_init{{
    .name = "mpi/barrier_init",
    .title = "MPI_Barrier_init",
    .summary = "time of MPI_Start and MPI_Wait of a persistent barrier",
    .axes = {},
    .processes = {},
    .series = completion(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
