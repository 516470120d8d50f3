// One rank hands each rank a block of its own: time until the last of them has it, by size and
// algorithm.
#include "algorithms/collectives/scatter/scatter.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const int root = root_of(point);
  const auto call = [scatter = chosen_algorithm<coll::Scatter>(point, MPI_Scatter),
                     count = static_cast<int>(point.bytes()), root,
                     stays = in_place(point) && point.world().rank() == root,
                     communicator = benchmark_communicator()](const void* out, void* in) {
    // Here alone it is the root's receive buffer that there is none of.
    void* own = stays ? MPI_IN_PLACE : in;
    MPI_REQUIRE(scatter(out, count, MPI_BYTE, own, count, MPI_BYTE, root, communicator));
  };
  return collective(point, scatter_data(point, root, in_place(point)), Extent::kProcesses, call);
}

Benchmark declare() {
  using enum Guideline::Term::Size;
  return {
      .name = "mpi/scatter",
      .title = "MPI_Scatter",
      .summary =
          "time of MPI_Scatter, until the last rank is done; the bandwidth is that of all P "
          "blocks, "
          "however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's block"),
               algorithm_axis<coll::Scatter>(), buffers_axis(), root_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/bcast", kTimesProcesses}}}},
  };
}

const Registration scatter{declare};

}  // namespace
}  // namespace leadline::probe
