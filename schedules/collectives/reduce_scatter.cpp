#include "algorithms/collectives/reduce_scatter/reduce_scatter.hpp"

#include <vector>

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed reduce_scatter{[] {
  return Collective::of<coll::ReduceScatter>(
      "mpi/reduce_scatter", sizeof(double), [](auto* function, const Given& given) {
        const std::vector<int> counts(static_cast<std::size_t>(given.size), given.doubles());
        return function(given.ins(), given.out(), counts.data(), MPI_DOUBLE, MPI_SUM,
                        MPI_COMM_WORLD);
      });
}};

}  // namespace
}  // namespace leadline::replay
