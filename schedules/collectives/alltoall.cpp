#include "algorithms/collectives/alltoall/alltoall.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed alltoall{[] {
  return Collective::of<coll::Alltoall>("mpi/alltoall", 1, [](auto* function, const Given& given) {
    return function(given.ins(), given.count(), MPI_BYTE, given.outs(), given.count(), MPI_BYTE,
                    MPI_COMM_WORLD);
  });
}};

}  // namespace
}  // namespace leadline::replay
