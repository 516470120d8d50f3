#include "algorithms/collectives/barrier/barrier.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed barrier{[] {
  return Collective::of<coll::Barrier>(
      "mpi/barrier", 0, [](auto* function, const Given&) { return function(MPI_COMM_WORLD); });
}};

}  // namespace
}  // namespace leadline::replay
