// Blocks of one size reach one rank or all: time until the last rank is done, by size and
// algorithm.
#include <mpi.h>

#include "algorithms/collectives/allgather/allgather.hpp"
#include "algorithms/collectives/alltoall/alltoall.hpp"
#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/gather/gather.hpp"
#include "algorithms/collectives/scatter/scatter.hpp"
#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

using enum Guideline::Term::Size;

Axis block_axis() { return bytes_axis(kCollectiveValues, "size of each rank's block"); }

int count_of(const Point& point) { return static_cast<int>(point.bytes()); }

Operation prepare_bcast(const Point& point) {
  const int root = root_of(point);
  const auto call = [bcast = chosen_algorithm<coll::Bcast>(point, MPI_Bcast),
                     count = count_of(point), root,
                     communicator = benchmark_communicator()](const void*, void* message) {
    MPI_REQUIRE(bcast(message, count, MPI_BYTE, root, communicator));
  };
  return collective(point, bcast_data(point, root), Extent::kOne, call);
}

Operation prepare_gather(const Point& point) {
  const int root = root_of(point);
  const auto call = [gather = chosen_algorithm<coll::Gather>(point, MPI_Gather),
                     count = count_of(point), root,
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(gather(out, count, MPI_BYTE, in, count, MPI_BYTE, root, communicator));
  };
  return collective(point, gather_data(point, root, in_place(point)), Extent::kProcesses, call);
}

Operation prepare_scatter(const Point& point) {
  const int root = root_of(point);
  const auto call = [scatter = chosen_algorithm<coll::Scatter>(point, MPI_Scatter),
                     count = count_of(point), root,
                     stays = in_place(point) && point.world().rank() == root,
                     communicator = benchmark_communicator()](const void* out, void* in) {
    // Here alone it is the root's receive buffer that there is none of.
    void* own = stays ? MPI_IN_PLACE : in;
    MPI_REQUIRE(scatter(out, count, MPI_BYTE, own, count, MPI_BYTE, root, communicator));
  };
  return collective(point, scatter_data(point, root, in_place(point)), Extent::kProcesses, call);
}

// Of those without a root.
template <typename Collective>
Operation prepare(const Point& point, typename Collective::Function* library,
                  const SharedData& data) {
  const auto call = [function = chosen_algorithm<Collective>(point, library),
                     count = count_of(point),
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(function(out, count, MPI_BYTE, in, count, MPI_BYTE, communicator));
  };
  return collective(point, data, Extent::kProcesses, call);
}

Operation prepare_allgather(const Point& point) {
  return prepare<coll::Allgather>(point, MPI_Allgather, allgather_data(point, in_place(point)));
}

Operation prepare_alltoall(const Point& point) {
  return prepare<coll::Alltoall>(point, MPI_Alltoall, alltoall_data(point, in_place(point)));
}

const Registration bcast{[] {
  return blocking({
      .name = "mpi/bcast",
      .title = "MPI_Bcast",
      .summary =
          "time of MPI_Bcast; the bandwidth is that of the message, however often it travels",
      .axes = {bytes_axis(kCollectiveValues, "size of the message"), algorithm_axis<coll::Bcast>(),
               root_axis()},
      .prepare = prepare_bcast,
      .guidelines = {{{{"mpi/scatter", kOverProcesses}, {"mpi/allgather", kOverProcesses}}}},
  });
}};
const Registration gather{[] {
  return blocking({
      .name = "mpi/gather",
      .title = "MPI_Gather",
      .summary =
          "time of MPI_Gather, until the last rank is done; the bandwidth is that of the result, P "
          "blocks, however many bytes travel",
      .axes = {block_axis(), algorithm_axis<coll::Gather>(), buffers_axis(), root_axis()},
      .prepare = prepare_gather,
      .guidelines = {{{{"mpi/allgather"}}}, {{{"mpi/reduce", kTimesProcesses}}}},
  });
}};
const Registration scatter{[] {
  return blocking({
      .name = "mpi/scatter",
      .title = "MPI_Scatter",
      .summary = "time of MPI_Scatter, until the last rank is done; the bandwidth is that of all P "
                 "blocks, however many bytes travel",
      .axes = {block_axis(), algorithm_axis<coll::Scatter>(), buffers_axis(), root_axis()},
      .prepare = prepare_scatter,
      .guidelines = {{{{"mpi/bcast", kTimesProcesses}}}},
  });
}};
const Registration allgather{[] {
  return blocking({
      .name = "mpi/allgather",
      .title = "MPI_Allgather",
      .summary = "time of MPI_Allgather; the bandwidth is that of the result, P blocks, however "
                 "many bytes travel",
      .axes = {block_axis(), algorithm_axis<coll::Allgather>(), buffers_axis()},
      .prepare = prepare_allgather,
      .guidelines = {{{{"mpi/gather"}, {"mpi/bcast", kTimesProcesses}}},
                     {{{"mpi/alltoall"}}},
                     {{{"mpi/allreduce", kTimesProcesses}}}},
  });
}};
const Registration alltoall{[] {
  return blocking({
      .name = "mpi/alltoall",
      .title = "MPI_Alltoall",
      .summary = "time of MPI_Alltoall; the bandwidth is that of what one rank sends, P blocks, "
                 "its own among them",
      .axes = {bytes_axis("8,64,512,4K,32K,256K", "size of the block for each rank"),
               algorithm_axis<coll::Alltoall>(), buffers_axis()},
      .prepare = prepare_alltoall,
      .guidelines = {{{{"mpi/alltoallv"}}}},
  });
}};

}  // namespace
}  // namespace leadline::probe
