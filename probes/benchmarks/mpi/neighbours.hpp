// What benchmarks of neighbourhood collectives share: a periodic plane of the ranks, as square as
// possible, on which each has four neighbours. Some may be the same rank, or the rank itself.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>

#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {

class Plane {
 public:
  // Against the first dimension and along it, then the second one: as MPI orders blocks.
  static constexpr int kNeighbours = 4;

  // Collective. Unavailable for one process, and in simulation.
  static std::shared_ptr<const Plane> of(const Point& point);

  explicit Plane(int ranks);
  ~Plane();
  Plane(const Plane&) = delete;
  Plane& operator=(const Plane&) = delete;

  MPI_Comm communicator() const { return communicator_; }
  int neighbour(int direction) const { return neighbours_[static_cast<std::size_t>(direction)]; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::array<int, kNeighbours> neighbours_{};
};

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

// The operation around `call(out, in)`; the bandwidth is that of four blocks.
template <typename Call>
Operation among_neighbours(const Point& point, const SharedData& data, const Call& call) {
  Operation operation = collective(point, data, Extent::kOne, call);
  operation.moved_bytes *= Plane::kNeighbours;
  return operation;
}

}  // namespace leadline::probe
