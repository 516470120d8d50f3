// Every rank has a block for each rank, not all of one size: time until the last of them has all of
// its own, by mean size, imbalance and algorithm.
#include "algorithms/collectives/alltoallv/alltoallv.hpp"

#include <mpi.h>

#include <climits>
#include <string>
#include <vector>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

// The size of the block between two ranks, the same in both directions, so that MPI_IN_PLACE is
// allowed. On average over all P^2 pairs it is `bytes`, but for rounding down.
std::size_t block_bytes(const Point& point, int one, int other) {
  const std::size_t bytes = point.bytes();
  const auto size = static_cast<std::size_t>(point.world().size());
  const std::string& imbalance = point.choice("imbalance");
  if (imbalance == "linear") return bytes * static_cast<std::size_t>(one + other + 1) / size;
  if (imbalance == "one_heavy") {
    const std::size_t shared_by_heavy =
        one == 0 || other == 0 ? bytes * size * size / (2 * size - 1) : 0;
    return (bytes + shared_by_heavy) / 2;
  }
  return bytes;
}

// As MPI counts: one block for each rank, one after the other.
struct Layout {
  std::vector<int> counts;
  std::vector<int> offsets;
  std::size_t bytes = 0;
};

Layout layout_of(const Point& point) {
  Layout layout;
  for (int other = 0; other < point.world().size(); ++other) {
    const std::size_t bytes = block_bytes(point, point.world().rank(), other);
    layout.counts.push_back(static_cast<int>(bytes));
    layout.offsets.push_back(static_cast<int>(layout.bytes));
    layout.bytes += bytes;
  }
  return layout;
}

// No rank's buffer is larger than this one times P.
void require_int_offsets(const Point& point) {
  const auto size = static_cast<std::size_t>(point.world().size());
  std::size_t largest = 0;
  for (const int heavy : {0, point.world().size() - 1}) {
    largest = std::max(largest, block_bytes(point, heavy, heavy));
  }
  if (largest * size > INT_MAX) {
    throw Unavailable("MPI_Alltoallv counts in int: at most 2 GiB for each rank together");
  }
}

Operation prepare(const Point& point) {
  require_int_offsets(point);
  const int rank = point.world().rank();
  const Layout layout = layout_of(point);
  std::vector<Block> sent;
  std::vector<Block> received;
  for (int other = 0; other < point.world().size(); ++other) {
    const auto index = static_cast<std::size_t>(other);
    const auto offset = static_cast<std::size_t>(layout.offsets[index]);
    const auto bytes = static_cast<std::size_t>(layout.counts[index]);
    sent.push_back({offset, bytes, rank, other});
    received.push_back({offset, bytes, other, rank});
  }
  const auto call = [alltoallv = chosen_algorithm<coll::Alltoallv>(point, MPI_Alltoallv), layout,
                     communicator = benchmark_communicator()](const void* out, void* in) {
    const int* counts = layout.counts.data();
    const int* offsets = layout.offsets.data();
    int code =
        alltoallv(out, counts, offsets, MPI_BYTE, in, counts, offsets, MPI_BYTE, communicator);
    if (code == coll::kLeftToLibrary) {
      code = MPI_Alltoallv(out, counts, offsets, MPI_BYTE, in, counts, offsets, MPI_BYTE,
                           communicator);
    }
    MPI_REQUIRE(code);
  };
  return collective(point, moved(point, sent, received, in_place(point)), Extent::kProcesses, call);
}

Benchmark declare() {
  return {
      .name = "mpi/alltoallv",
      .title = "MPI_Alltoallv",
      .summary =
          "time of MPI_Alltoallv; the bandwidth is that of what one rank sends on average, P "
          "blocks, its own among them",
      .axes = {bytes_axis("8,64,512,4K,32K,256K", "mean size of a block"),
               task_axis("imbalance",
                         "block between ranks i and j, times the mean. even: 1; linear: "
                         "(i + j + 1) / P; one_heavy: 1/2, and the other half of all data to and "
                         "from rank 0",
                         {"even", "linear", "one_heavy"}),
               algorithm_axis<coll::Alltoallv>(), buffers_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration alltoallv{declare};

}  // namespace
}  // namespace leadline::probe
