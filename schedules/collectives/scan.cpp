#include "algorithms/collectives/scan/scan.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed scan{[] {
  return Collective::of<coll::Scan>("mpi/scan", sizeof(double),
                                    [](auto* function, const Given& given) {
                                      return function(given.in(), given.out(), given.doubles(),
                                                      MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                                    });
}};

}  // namespace
}  // namespace leadline::replay
