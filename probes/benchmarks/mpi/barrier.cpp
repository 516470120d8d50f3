// All ranks meet: time until the last of them may go on, by algorithm.
#include "algorithms/collectives/barrier/barrier.hpp"

#include <mpi.h>

#include <memory>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"
#include "benchmarks/mpi/meeting.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto meeting = std::make_shared<Meeting>(point.world());
  Operation operation;
  operation.call = [meeting, barrier = chosen_algorithm<coll::Barrier>(point, MPI_Barrier),
                    communicator = benchmark_communicator()] {
    meeting->arrive();
    MPI_REQUIRE(barrier(communicator));
    meeting->leave();
  };
  // A rank comes late to it.
  operation.verified_call = operation.call;
  operation.fill = [meeting](std::uint64_t seed) { meeting->fill(seed); };
  operation.wrong_bytes = [meeting](std::uint64_t) { return meeting->wrong_bytes(); };
  return operation;
}

Benchmark declare() {
  using enum Guideline::Term::Size;
  return {
      .name = "mpi/barrier",
      .title = "MPI_Barrier",
      .summary = "time of MPI_Barrier",
      .axes = {algorithm_axis<coll::Barrier>()},
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      // No rank leaves that before all have come, either.
      .guidelines = {{{{"mpi/allreduce", kSame, sizeof(double)}}}},
  };
}

const Registration barrier{declare};

}  // namespace
}  // namespace leadline::probe
