// All ranks meet: time until the last of them may go on, by algorithm.
#include "algorithms/collectives/barrier/barrier.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"
#include "benchmarks/mpi/meeting.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  return meeting_operation(
      point, [barrier = chosen_algorithm<coll::Barrier>(point, MPI_Barrier),
              communicator = benchmark_communicator()] { MPI_REQUIRE(barrier(communicator)); });
}

const Registration barrier{[] {
  return blocking({
      .name = "mpi/barrier",
      .title = "MPI_Barrier",
      .summary = "time of MPI_Barrier",
      .axes = {algorithm_axis<coll::Barrier>()},
      .prepare = prepare,
      // No rank leaves that before all have come, either.
      .guidelines = {{{{"mpi/allreduce", Guideline::Term::Size::kSame, sizeof(double)}}}},
  });
}};

}  // namespace
}  // namespace leadline::probe
