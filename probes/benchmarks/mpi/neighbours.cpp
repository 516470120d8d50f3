#include "benchmarks/mpi/neighbours.hpp"

#include "harness/simulation.hpp"

namespace leadline::probe {

std::shared_ptr<const Plane> Plane::of(const Point& point) {
  require_real("there are no neighbourhood collectives");
  if (point.world().size() == 1) {
    throw Unavailable("one process has no neighbours but itself: take two or more");
  }
  return std::make_shared<const Plane>(point.world().size());
}

Plane::Plane(int ranks) {
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

Plane::~Plane() { MPI_Comm_free(&communicator_); }

}  // namespace leadline::probe
