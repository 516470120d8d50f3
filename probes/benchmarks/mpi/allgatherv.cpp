// Every rank gets the blocks of all ranks, not all of one size: time until the last of them has
// all, by mean size, imbalance and algorithm.
#include "algorithms/collectives/allgatherv/allgatherv.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/uneven.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const int rank = point.world().rank();
  const UnevenLayout all = layout_of(point);
  const auto own = static_cast<std::size_t>(rank);
  const auto call = [allgatherv = chosen_algorithm<coll::Allgatherv>(point, MPI_Allgatherv), all,
                     own, communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(allgatherv(out, all.counts[own], MPI_BYTE, in, all.counts.data(),
                           all.offsets.data(), MPI_BYTE, communicator));
  };
  const std::vector<Block> received =
      blocks_of(all, [](int other) { return Ends{other, kEverywhere}; });
  Block sent = received[own];
  if (!in_place(point)) sent.offset = 0;
  return collective(point, moved(point, {sent}, received, in_place(point)), Extent::kProcesses,
                    call);
}

Benchmark declare() {
  return {
      .name = "mpi/allgatherv",
      .title = "MPI_Allgatherv",
      .summary =
          "time of MPI_Allgatherv; the bandwidth is that of the result, P blocks, however many "
          "bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "mean size of a block"), imbalance_axis(),
               algorithm_axis<coll::Allgatherv>(), buffers_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration allgatherv{declare};

}  // namespace
}  // namespace leadline::probe
