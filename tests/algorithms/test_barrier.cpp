// No rank leaves a barrier before the last has entered.
#include <doctest/doctest.h>
#include <mpi.h>
#include <sched.h>

#include <ctime>
#include <string>

#include "algorithms/collectives/barrier/barrier.hpp"
#include "communicator.hpp"

namespace {

using leadline::coll::BarrierAlgorithm;

constexpr double kDelaySeconds = 5e-3;

// One clock for all ranks: tests run on one node.
double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST_CASE("each rank in turn comes late, and all wait") {
  const Communicator comm;
  for (const auto& [name, algorithm] : BarrierAlgorithm::all()) {
    CAPTURE(std::string(name));
    for (int late = 0; late < comm.size; ++late) {
      CAPTURE(late);
      PMPI_Barrier(comm.handle);
      if (comm.rank == late) {
        const double end = now() + kDelaySeconds;
        while (now() < end) sched_yield();
      }
      const double entered = now();
      CHECK(algorithm->function(comm.handle) == MPI_SUCCESS);
      const double left = now();
      double last_entered = 0.0;
      PMPI_Allreduce(&entered, &last_entered, 1, MPI_DOUBLE, MPI_MAX, comm.handle);
      CHECK(left >= last_entered);
    }
  }
}

}  // namespace
