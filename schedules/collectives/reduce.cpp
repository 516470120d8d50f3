#include "algorithms/collectives/reduce/reduce.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed reduce{[] {
  return Collective::of<coll::Reduce>(
      "mpi/reduce", sizeof(double), [](auto* function, const Given& given) {
        return function(given.in(), given.out(), given.doubles(), MPI_DOUBLE, MPI_SUM, given.root,
                        MPI_COMM_WORLD);
      });
}};

}  // namespace
}  // namespace leadline::replay
