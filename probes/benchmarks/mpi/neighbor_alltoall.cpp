// Every rank on a periodic plane has a block for each of its four neighbours: time until the last
// of them has all of its own, by size and algorithm.
#include "algorithms/neighbourhood/neighbor_alltoall/neighbor_alltoall.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/neighbours.hpp"

namespace leadline::probe {
namespace {

// A rank may be the neighbour in several directions: each block is told by the direction in which
// it left.
int sent_in(int source, int direction) { return source * Plane::kNeighbours + direction; }
constexpr int opposite(int direction) { return direction ^ 1; }

Operation prepare(const Point& point) {
  const std::shared_ptr<const Plane> plane = Plane::of(point);
  const int rank = point.world().rank();
  const auto sent = one_for_each_neighbour(point, [&](int direction) {
    return std::pair(sent_in(rank, direction), plane->neighbour(direction));
  });
  const auto received = one_for_each_neighbour(point, [&](int direction) {
    return std::pair(sent_in(plane->neighbour(direction), opposite(direction)), rank);
  });
  const auto call = [alltoall =
                         chosen_algorithm<coll::NeighborAlltoall>(point, MPI_Neighbor_alltoall),
                     count = static_cast<int>(point.bytes()), plane](const void* out, void* in) {
    const MPI_Comm comm = plane->communicator();
    int code = alltoall(out, count, MPI_BYTE, in, count, MPI_BYTE, comm);
    if (code == coll::kLeftToLibrary) {
      code = MPI_Neighbor_alltoall(out, count, MPI_BYTE, in, count, MPI_BYTE, comm);
    }
    MPI_REQUIRE(code);
  };
  return among_neighbours(point, moved(point, sent, received, false), call);
}

Benchmark declare() {
  return {
      .name = "mpi/neighbor_alltoall",
      .title = "MPI_Neighbor_alltoall",
      .summary =
          "time of MPI_Neighbor_alltoall on a periodic plane of the ranks; the bandwidth is that "
          "of what one rank sends, four blocks",
      .axes = {bytes_axis("8,64,512,4K,32K,256K", "size of the block for each neighbour"),
               algorithm_axis<coll::NeighborAlltoall>()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration neighbor_alltoall{declare};

}  // namespace
}  // namespace leadline::probe
