// One rank hands each rank a block of its own, not all of one size: time until the last of them has
// it, by mean size, imbalance and algorithm.
#include "algorithms/collectives/scatterv/scatterv.hpp"

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
  const auto call = [scatterv = chosen_algorithm<coll::Scatterv>(point, MPI_Scatterv), all, own,
                     root, stays = in_place(point) && rank == root,
                     communicator = benchmark_communicator()](const void* out, void* in) {
    void* place = stays ? MPI_IN_PLACE : in;
    int code = scatterv(out, all.counts.data(), all.offsets.data(), MPI_BYTE, place,
                        all.counts[own], MPI_BYTE, root, communicator);
    if (code == coll::kLeftToLibrary) {
      code = MPI_Scatterv(out, all.counts.data(), all.offsets.data(), MPI_BYTE, place,
                          all.counts[own], MPI_BYTE, root, communicator);
    }
    MPI_REQUIRE(code);
  };
  const std::vector<Block> blocks = blocks_of(all, [&](int other) { return Ends{root, other}; });
  const bool here = rank == root;
  Block received = blocks[own];
  received.offset = 0;
  const bool keeps = here && in_place(point);
  return collective(point,
                    moved(point, here ? blocks : std::vector<Block>{},
                          keeps ? std::vector<Block>{} : std::vector{received}, false),
                    Extent::kProcesses, call);
}

Benchmark declare() {
  return {
      .name = "mpi/scatterv",
      .title = "MPI_Scatterv",
      .summary =
          "time of MPI_Scatterv, until the last rank is done; the bandwidth is that of all P "
          "blocks, "
          "however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "mean size of a block"), imbalance_axis(),
               algorithm_axis<coll::Scatterv>(), buffers_axis(), root_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration scatterv{declare};

}  // namespace
}  // namespace leadline::probe
