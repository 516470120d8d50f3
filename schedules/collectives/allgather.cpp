#include "algorithms/collectives/allgather/allgather.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed allgather{[] {
  return Collective::of<coll::Allgather>(
      "mpi/allgather", 1, [](auto* function, const Given& given) {
        return function(given.in(), given.count(), MPI_BYTE, given.outs(), given.count(), MPI_BYTE,
                        MPI_COMM_WORLD);
      });
}};

}  // namespace
}  // namespace leadline::replay
