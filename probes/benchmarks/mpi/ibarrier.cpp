// How much of MPI_Ibarrier hides behind computation.
#include <mpi.h>

#include <memory>

#include "benchmarks/mpi/meeting.hpp"
#include "benchmarks/mpi/overlap.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  return overlapped(point, [&] {
    const auto meeting = std::make_shared<Meeting>(point.world());
    Transfer transfer;
    transfer.start = [meeting, communicator = benchmark_communicator()](MPI_Request* request) {
      meeting->arrive();
      MPI_REQUIRE(MPI_Ibarrier(communicator, request));
    };
    transfer.ended = [meeting] { meeting->leave(); };
    transfer.fill = [meeting](std::uint64_t seed) { meeting->fill(seed); };
    transfer.wrong_bytes = [meeting](std::uint64_t) { return meeting->wrong_bytes(); };
    return transfer;
  });
}

const Registration ibarrier{{
    .name = "mpi/ibarrier",
    .title = "MPI_Ibarrier",
    .summary = "MPI_Ibarrier alone, computation alone, and both together",
    .axes = {progress_axis()},
    .processes = {},
    .series = overlap_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
