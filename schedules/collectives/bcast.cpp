#include "algorithms/collectives/bcast/bcast.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed bcast{[] {
  return Collective::of<coll::Bcast>("mpi/bcast", 1, [](auto* function, const Given& given) {
    return function(given.in(), given.count(), MPI_BYTE, given.root, MPI_COMM_WORLD);
  });
}};

}  // namespace
}  // namespace leadline::replay
