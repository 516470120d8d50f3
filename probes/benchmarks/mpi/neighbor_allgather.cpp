// Every rank on a periodic plane has one block for all of its four neighbours: time until the last
// of them has all of theirs, by size and algorithm.
#include "algorithms/neighbourhood/neighbor_allgather/neighbor_allgather.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/neighbours.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const std::shared_ptr<const Plane> plane = Plane::of(point);
  const std::vector<Block> sent{{.offset = 0,
                                 .bytes = point.bytes(),
                                 .source = point.world().rank(),
                                 .destination = kEverywhere}};
  const auto received = one_for_each_neighbour(
      point, [&](int direction) { return std::pair(plane->neighbour(direction), kEverywhere); });
  const auto call = [allgather =
                         chosen_algorithm<coll::NeighborAllgather>(point, MPI_Neighbor_allgather),
                     count = static_cast<int>(point.bytes()), plane](const void* out, void* in) {
    const MPI_Comm comm = plane->communicator();
    int code = allgather(out, count, MPI_BYTE, in, count, MPI_BYTE, comm);
    if (code == coll::kLeftToLibrary) {
      code = MPI_Neighbor_allgather(out, count, MPI_BYTE, in, count, MPI_BYTE, comm);
    }
    MPI_REQUIRE(code);
  };
  return among_neighbours(point, moved(point, sent, received, false), call);
}

Benchmark declare() {
  return {
      .name = "mpi/neighbor_allgather",
      .title = "MPI_Neighbor_allgather",
      .summary =
          "time of MPI_Neighbor_allgather on a periodic plane of the ranks; the bandwidth is that "
          "of what one rank receives, four blocks",
      .axes = {bytes_axis("8,64,512,4K,32K,256K", "size of a rank's block"),
               algorithm_axis<coll::NeighborAllgather>()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration neighbor_allgather{declare};

}  // namespace
}  // namespace leadline::probe
