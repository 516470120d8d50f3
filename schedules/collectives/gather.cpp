#include "algorithms/collectives/gather/gather.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed gather{[] {
  return Collective::of<coll::Gather>("mpi/gather", 1, [](auto* function, const Given& given) {
    return function(given.in(), given.count(), MPI_BYTE, given.outs(), given.count(), MPI_BYTE,
                    given.root, MPI_COMM_WORLD);
  });
}};

}  // namespace
}  // namespace leadline::replay
