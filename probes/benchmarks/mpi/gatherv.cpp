// One rank gets the blocks of all ranks, not all of one size: time until the last rank is done, by
// mean size, imbalance and algorithm.
#include "algorithms/collectives/gatherv/gatherv.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/uneven.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const int root = root_of(point);
  const int rank = point.world().rank();
  const UnevenLayout all = layout_of(point);
  const auto own = static_cast<std::size_t>(rank);
  const auto call = [gatherv = chosen_algorithm<coll::Gatherv>(point, MPI_Gatherv), all, own, root,
                     communicator = benchmark_communicator()](const void* out, void* in) {
    int code = gatherv(out, all.counts[own], MPI_BYTE, in, all.counts.data(), all.offsets.data(),
                       MPI_BYTE, root, communicator);
    if (code == coll::kLeftToLibrary) {
      code = MPI_Gatherv(out, all.counts[own], MPI_BYTE, in, all.counts.data(), all.offsets.data(),
                         MPI_BYTE, root, communicator);
    }
    MPI_REQUIRE(code);
  };
  const std::vector<Block> blocks = blocks_of(all, [&](int other) { return Ends{other, root}; });
  const bool here = rank == root;
  Block sent = blocks[own];
  if (!here || !in_place(point)) sent.offset = 0;
  return collective(
      point, moved(point, {sent}, here ? blocks : std::vector<Block>{}, here && in_place(point)),
      Extent::kProcesses, call);
}

Benchmark declare() {
  return {
      .name = "mpi/gatherv",
      .title = "MPI_Gatherv",
      .summary =
          "time of MPI_Gatherv, until the last rank is done; the bandwidth is that of the result, "
          "P "
          "blocks, however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "mean size of a block"), imbalance_axis(),
               algorithm_axis<coll::Gatherv>(), buffers_axis(), root_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration gatherv{declare};

}  // namespace
}  // namespace leadline::probe
