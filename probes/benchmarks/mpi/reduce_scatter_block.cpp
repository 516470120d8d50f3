// Vectors of doubles are summed over all ranks, and each rank gets a block of the sum: time until
// the last of them has it, by size and algorithm.
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"

#include <mpi.h>

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
  const auto call =
      [scatter = chosen_algorithm<coll::ReduceScatterBlock>(point, MPI_Reduce_scatter_block), count,
       communicator = benchmark_communicator()](const void* out, void* in) {
        MPI_REQUIRE(scatter(out, in, count, MPI_DOUBLE, MPI_SUM, communicator));
      };
  return collective(point, data, Extent::kProcesses, call);
}

Benchmark declare() {
  using enum Guideline::Term::Size;
  return {
      .name = "mpi/reduce_scatter_block",
      .title = "MPI_Reduce_scatter_block",
      .summary =
          "time of MPI_Reduce_scatter_block of doubles with MPI_SUM; the bandwidth is that of one "
          "rank's vector, P blocks, however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of the block that each rank gets",
                          sizeof(double)),
               algorithm_axis<coll::ReduceScatterBlock>(), buffers_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/reduce", kTimesProcesses}, {"mpi/scatter"}}},
                     {{{"mpi/allreduce", kTimesProcesses}}}},
  };
}

const Registration reduce_scatter_block{declare};

}  // namespace
}  // namespace leadline::probe
