#include "algorithms/collectives/allreduce/allreduce.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed allreduce{[] {
  return Collective::of<coll::Allreduce>("mpi/allreduce", sizeof(double),
                                         [](auto* function, const Given& given) {
                                           return function(given.in(), given.out(), given.doubles(),
                                                           MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                                         });
}};

}  // namespace
}  // namespace leadline::replay
