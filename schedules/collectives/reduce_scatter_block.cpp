#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"

#include "schedules/collectives/collective.hpp"

namespace leadline::replay {
namespace {

const Listed reduce_scatter_block{[] {
  return Collective::of<coll::ReduceScatterBlock>(
      "mpi/reduce_scatter_block", sizeof(double), [](auto* function, const Given& given) {
        return function(given.ins(), given.out(), given.doubles(), MPI_DOUBLE, MPI_SUM,
                        MPI_COMM_WORLD);
      });
}};

}  // namespace
}  // namespace leadline::replay
