// As reduce_scatter_block, by the call with a count for each rank; all counts are equal.
#include "algorithms/collectives/reduce_scatter/reduce_scatter.hpp"

#include <mpi.h>

#include <vector>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const auto rank = static_cast<std::size_t>(point.world().rank());
  const auto size = static_cast<std::size_t>(point.world().size());
  const int count = doubles(point);
  const auto block = static_cast<std::size_t>(count);
  const auto data = summed(point,
                           {.elements = size * block,
                            .first = rank * block,
                            .result_elements = block,
                            .ranks = point.world().size()},
                           in_place(point));
  const auto call = [scatter = chosen_algorithm<coll::ReduceScatter>(point, MPI_Reduce_scatter),
                     communicator = benchmark_communicator(),
                     counts = std::vector<int>(size, count)](const void* out, void* in) {
    MPI_REQUIRE(scatter(out, in, counts.data(), MPI_DOUBLE, MPI_SUM, communicator));
  };
  return collective(point, data, Extent::kProcesses, call);
}

Benchmark declare() {
  return {
      .name = "mpi/reduce_scatter",
      .title = "MPI_Reduce_scatter",
      .summary =
          "time of MPI_Reduce_scatter of doubles with MPI_SUM; the bandwidth is that of one "
          "rank's vector, P blocks, however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of the block that each rank gets",
                          sizeof(double)),
               algorithm_axis<coll::ReduceScatter>(), buffers_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/reduce_scatter_block"}}}},
  };
}

const Registration reduce_scatter{declare};

}  // namespace
}  // namespace leadline::probe
