#include "algorithms/collectives/exscan/exscan.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed exscan{[] {
  return Collective::of<coll::Exscan>("mpi/exscan", sizeof(double),
                                      [](auto* function, const Given& given) {
                                        return function(given.in(), given.out(), given.doubles(),
                                                        MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                                      });
}};

}  // namespace
}  // namespace leadline::replay
