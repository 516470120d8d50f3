// Every rank on a periodic plane, as square as possible, has blocks for its four neighbours: time
// until the last of them has all of theirs, by size and algorithm.
#include <mpi.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/neighbourhood/neighbor_allgather/neighbor_allgather.hpp"
#include "algorithms/neighbourhood/neighbor_alltoall/neighbor_alltoall.hpp"
#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

// Some neighbours may be the same rank, or the rank itself.
class Plane {
 public:
  // Against the first dimension and along it, then the second one: as MPI orders blocks.
  static constexpr int kNeighbours = 4;

  // Collective.
  explicit Plane(int ranks) {
    std::array<int, 2> extents{};
    const std::array<int, 2> periodic{1, 1};
    MPI_REQUIRE(MPI_Dims_create(ranks, 2, extents.data()));
    MPI_REQUIRE(MPI_Cart_create(benchmark_communicator(), 2, extents.data(), periodic.data(), 0,
                                &communicator_));
    for (int dimension = 0; dimension < 2; ++dimension) {
      int* const both = neighbours_.data() + std::ptrdiff_t{2} * dimension;
      MPI_REQUIRE(MPI_Cart_shift(communicator_, dimension, 1, both, both + 1));
    }
  }
  ~Plane() { MPI_Comm_free(&communicator_); }
  Plane(const Plane&) = delete;
  Plane& operator=(const Plane&) = delete;

  MPI_Comm communicator() const { return communicator_; }
  int neighbour(int direction) const { return neighbours_[static_cast<std::size_t>(direction)]; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::array<int, kNeighbours> neighbours_{};
};

// Collective.
std::shared_ptr<const Plane> plane_of(const Point& point) {
  require_real("there are no neighbourhood collectives");
  if (point.world().size() == 1) {
    throw Unavailable("one process has no neighbours but itself: take two or more");
  }
  return std::make_shared<const Plane>(point.world().size());
}

// A block of the point's bytes for each neighbour. `ends(direction)` is its source and destination.
template <typename Ends>
std::vector<Block> one_for_each_neighbour(const Point& point, const Ends& ends) {
  std::vector<Block> blocks;
  for (int direction = 0; direction < Plane::kNeighbours; ++direction) {
    const auto [source, destination] = ends(direction);
    blocks.push_back(
        {static_cast<std::size_t>(direction) * point.bytes(), point.bytes(), source, destination});
  }
  return blocks;
}

// The bandwidth is that of four blocks.
template <typename Collective>
Operation among_neighbours(const Point& point, typename Collective::Function* library,
                           const std::shared_ptr<const Plane>& plane, const SharedData& data) {
  const auto call = [function = chosen_algorithm<Collective>(point, library), library,
                     count = static_cast<int>(point.bytes()), plane](const void* out, void* in) {
    const MPI_Comm comm = plane->communicator();
    int code = function(out, count, MPI_BYTE, in, count, MPI_BYTE, comm);
    if (code == coll::kLeftToLibrary) {
      code = library(out, count, MPI_BYTE, in, count, MPI_BYTE, comm);
    }
    MPI_REQUIRE(code);
  };
  Operation operation = collective(point, data, Extent::kOne, call);
  operation.moved_bytes *= Plane::kNeighbours;
  return operation;
}

Operation prepare_allgather(const Point& point) {
  const std::shared_ptr<const Plane> plane = plane_of(point);
  const std::vector<Block> sent{{.offset = 0,
                                 .bytes = point.bytes(),
                                 .source = point.world().rank(),
                                 .destination = kEverywhere}};
  const auto received = one_for_each_neighbour(
      point, [&](int direction) { return std::pair(plane->neighbour(direction), kEverywhere); });
  return among_neighbours<coll::NeighborAllgather>(point, MPI_Neighbor_allgather, plane,
                                                   moved(point, sent, received, false));
}

// One rank may be the neighbour in several directions: the direction in which a block was sent is
// part of its content.
int sent_in(int source, int direction) { return source * Plane::kNeighbours + direction; }
constexpr int opposite(int direction) { return direction ^ 1; }

Operation prepare_alltoall(const Point& point) {
  const std::shared_ptr<const Plane> plane = plane_of(point);
  const int rank = point.world().rank();
  const auto sent = one_for_each_neighbour(point, [&](int direction) {
    return std::pair(sent_in(rank, direction), plane->neighbour(direction));
  });
  const auto received = one_for_each_neighbour(point, [&](int direction) {
    return std::pair(sent_in(plane->neighbour(direction), opposite(direction)), rank);
  });
  return among_neighbours<coll::NeighborAlltoall>(point, MPI_Neighbor_alltoall, plane,
                                                  moved(point, sent, received, false));
}

const Registration neighbor_allgather{[] {
  return blocking({
      .name = "mpi/neighbor_allgather",
      .title = "MPI_Neighbor_allgather",
      .summary =
          "time of MPI_Neighbor_allgather on a periodic plane of the ranks; the bandwidth is that "
          "of what one rank receives, four blocks",
      .axes = {bytes_axis("8,64,512,4K,32K,256K", "size of a rank's block"),
               algorithm_axis<coll::NeighborAllgather>()},
      .prepare = prepare_allgather,
  });
}};
const Registration neighbor_alltoall{[] {
  return blocking({
      .name = "mpi/neighbor_alltoall",
      .title = "MPI_Neighbor_alltoall",
      .summary =
          "time of MPI_Neighbor_alltoall on a periodic plane of the ranks; the bandwidth is that "
          "of what one rank sends, four blocks",
      .axes = {bytes_axis("8,64,512,4K,32K,256K", "size of the block for each neighbour"),
               algorithm_axis<coll::NeighborAlltoall>()},
      .prepare = prepare_alltoall,
  });
}};

}  // namespace
}  // namespace leadline::probe
