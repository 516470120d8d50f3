#include "algorithms/collectives/scatter/scatter.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed scatter{[] {
  return Collective::of<coll::Scatter>("mpi/scatter", 1, [](auto* function, const Given& given) {
    return function(given.ins(), given.count(), MPI_BYTE, given.out(), given.count(), MPI_BYTE,
                    given.root, MPI_COMM_WORLD);
  });
}};

}  // namespace
}  // namespace leadline::replay
