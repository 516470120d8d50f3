// Blocks that are not all of one size reach one rank or all: time until the last rank is done, by
// mean size, imbalance and algorithm.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/collectives/allgatherv/allgatherv.hpp"
#include "algorithms/collectives/alltoallv/alltoallv.hpp"
#include "algorithms/collectives/gatherv/gatherv.hpp"
#include "algorithms/collectives/scatterv/scatterv.hpp"
#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

// The block of a rank; their mean is the point's `bytes`, but for rounding.
std::size_t block_of_rank(const Point& point, int rank) {
  const std::size_t bytes = point.bytes();
  const auto size = static_cast<std::size_t>(point.world().size());
  const std::string& imbalance = point.choice("imbalance");
  if (imbalance == "linear") return bytes * (2 * static_cast<std::size_t>(rank) + 1) / size;
  if (imbalance == "one_heavy") return (bytes + (rank == 0 ? bytes * size : 0)) / 2;
  return bytes;
}

// The block between two ranks, the same in both directions, so that MPI_IN_PLACE is allowed. On
// average over all P^2 pairs it is `bytes`, but for rounding down.
std::size_t block_between(const Point& point, int one, int other) {
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
};

// Unavailable where MPI's int cannot count the bytes of all.
template <typename BytesOf>
Layout layout_of(const Point& point, const BytesOf& bytes_of) {
  Layout layout;
  std::size_t end = 0;
  for (int rank = 0; rank < point.world().size(); ++rank) {
    const std::size_t bytes = bytes_of(rank);
    if (end + bytes > INT_MAX) throw Unavailable("MPI counts in int: at most 2 GiB together");
    layout.counts.push_back(static_cast<int>(bytes));
    layout.offsets.push_back(static_cast<int>(end));
    end += bytes;
  }
  return layout;
}

Layout layout_of(const Point& point) {
  return layout_of(point, [&](int rank) { return block_of_rank(point, rank); });
}

using Ends = std::pair<int, int>;  // source and destination of a rank's block

template <typename EndsOf>
std::vector<Block> blocks_of(const Layout& layout, const EndsOf& ends_of) {
  std::vector<Block> blocks;
  for (std::size_t rank = 0; rank < layout.counts.size(); ++rank) {
    const auto [source, destination] = ends_of(static_cast<int>(rank));
    blocks.push_back({static_cast<std::size_t>(layout.offsets[rank]),
                      static_cast<std::size_t>(layout.counts[rank]), source, destination});
  }
  return blocks;
}

// The operation around `make(function, out, in)`, with an algorithm that may leave it to the
// library.
template <typename Collective, typename Make>
Operation uneven(const Point& point, typename Collective::Function* library, const SharedData& data,
                 const Make& make) {
  const auto call = [function = chosen_algorithm<Collective>(point, library), library, make](
                        const void* out, void* in) {
    int code = make(function, out, in);
    if (code == coll::kLeftToLibrary) code = make(library, out, in);
    MPI_REQUIRE(code);
  };
  return collective(point, data, Extent::kProcesses, call);
}

Operation prepare_allgatherv(const Point& point) {
  const auto own = static_cast<std::size_t>(point.world().rank());
  const Layout all = layout_of(point);
  const std::vector<Block> received =
      blocks_of(all, [](int other) { return Ends{other, kEverywhere}; });
  Block sent = received[own];
  if (!in_place(point)) sent.offset = 0;
  return uneven<coll::Allgatherv>(
      point, MPI_Allgatherv, moved(point, {sent}, received, in_place(point)),
      [all, own, communicator = benchmark_communicator()](auto* f, const void* out, void* in) {
        return f(out, all.counts[own], MPI_BYTE, in, all.counts.data(), all.offsets.data(),
                 MPI_BYTE, communicator);
      });
}

Operation prepare_gatherv(const Point& point) {
  const int root = root_of(point);
  const auto own = static_cast<std::size_t>(point.world().rank());
  const Layout all = layout_of(point);
  const std::vector<Block> blocks = blocks_of(all, [&](int other) { return Ends{other, root}; });
  const bool here = point.world().rank() == root;
  Block sent = blocks[own];
  if (!here || !in_place(point)) sent.offset = 0;
  return uneven<coll::Gatherv>(
      point, MPI_Gatherv,
      moved(point, {sent}, here ? blocks : std::vector<Block>{}, here && in_place(point)),
      [all, own, root, communicator = benchmark_communicator()](auto* f, const void* out,
                                                                void* in) {
        return f(out, all.counts[own], MPI_BYTE, in, all.counts.data(), all.offsets.data(),
                 MPI_BYTE, root, communicator);
      });
}

Operation prepare_scatterv(const Point& point) {
  const int root = root_of(point);
  const auto own = static_cast<std::size_t>(point.world().rank());
  const Layout all = layout_of(point);
  const std::vector<Block> blocks = blocks_of(all, [&](int other) { return Ends{root, other}; });
  const bool here = point.world().rank() == root;
  const bool keeps = here && in_place(point);
  Block received = blocks[own];
  received.offset = 0;
  return uneven<coll::Scatterv>(point, MPI_Scatterv,
                                moved(point, here ? blocks : std::vector<Block>{},
                                      keeps ? std::vector<Block>{} : std::vector{received}, false),
                                [all, own, root, keeps, communicator = benchmark_communicator()](
                                    auto* f, const void* out, void* in) {
                                  return f(out, all.counts.data(), all.offsets.data(), MPI_BYTE,
                                           keeps ? MPI_IN_PLACE : in, all.counts[own], MPI_BYTE,
                                           root, communicator);
                                });
}

Operation prepare_alltoallv(const Point& point) {
  const int rank = point.world().rank();
  // The last rank has the most to count where blocks grow, the first where it is heavy.
  for (const int heavy : {0, point.world().size() - 1}) {
    layout_of(point, [&](int other) { return block_between(point, heavy, other); });
  }
  const Layout all = layout_of(point, [&](int other) { return block_between(point, rank, other); });
  return uneven<coll::Alltoallv>(
      point, MPI_Alltoallv,
      moved(point, blocks_of(all, [&](int other) { return Ends{rank, other}; }),
            blocks_of(all, [&](int other) { return Ends{other, rank}; }), in_place(point)),
      [all, communicator = benchmark_communicator()](auto* f, const void* out, void* in) {
        const int* counts = all.counts.data();
        const int* offsets = all.offsets.data();
        return f(out, counts, offsets, MPI_BYTE, in, counts, offsets, MPI_BYTE, communicator);
      });
}

Axis imbalance_axis(const char* summary) {
  return task_axis("imbalance", summary, {"even", "linear", "one_heavy"});
}

Axis imbalance_of_ranks() {
  return imbalance_axis(
      "block of rank i, times the mean. even: 1; linear: (2 i + 1) / P; one_heavy: 1/2, and the "
      "other half of all data in the block of rank 0");
}

Axis mean_axis(const char* values = kCollectiveValues) {
  return bytes_axis(values, "mean size of a block");
}

const Registration allgatherv{[] {
  return blocking({
      .name = "mpi/allgatherv",
      .title = "MPI_Allgatherv",
      .summary = "time of MPI_Allgatherv; the bandwidth is that of the result, P blocks, however "
                 "many bytes travel",
      .axes = {mean_axis(), imbalance_of_ranks(), algorithm_axis<coll::Allgatherv>(),
               buffers_axis()},
      .prepare = prepare_allgatherv,
  });
}};
const Registration gatherv{[] {
  return blocking({
      .name = "mpi/gatherv",
      .title = "MPI_Gatherv",
      .summary = "time of MPI_Gatherv, until the last rank is done; the bandwidth is that of the "
                 "result, P blocks, however many bytes travel",
      .axes = {mean_axis(), imbalance_of_ranks(), algorithm_axis<coll::Gatherv>(), buffers_axis(),
               root_axis()},
      .prepare = prepare_gatherv,
  });
}};
const Registration scatterv{[] {
  return blocking({
      .name = "mpi/scatterv",
      .title = "MPI_Scatterv",
      .summary = "time of MPI_Scatterv, until the last rank is done; the bandwidth is that of all "
                 "P blocks, however many bytes travel",
      .axes = {mean_axis(), imbalance_of_ranks(), algorithm_axis<coll::Scatterv>(), buffers_axis(),
               root_axis()},
      .prepare = prepare_scatterv,
  });
}};
const Registration alltoallv{[] {
  return blocking({
      .name = "mpi/alltoallv",
      .title = "MPI_Alltoallv",
      .summary = "time of MPI_Alltoallv; the bandwidth is that of what one rank sends on average, "
                 "P blocks, its own among them",
      .axes = {mean_axis("8,64,512,4K,32K,256K"),
               imbalance_axis("block between ranks i and j, times the mean. even: 1; linear: "
                              "(i + j + 1) / P; one_heavy: 1/2, and the other half of all data to "
                              "and from rank 0"),
               algorithm_axis<coll::Alltoallv>(), buffers_axis()},
      .prepare = prepare_alltoallv,
  });
}};

}  // namespace
}  // namespace leadline::probe
