// How pairs of ranks that play at once agree on when to go on.
#pragma once

#include <mpi.h>

#include "comm/mpi_world.hpp"

namespace leadline::probe {

// The first ranks of all pairs, who agree on when to go on. Made and freed by all ranks together.
class Firsts {
 public:
  explicit Firsts(bool member, int rank) {
    MPI_REQUIRE(
        MPI_Comm_split(benchmark_communicator(), member ? 0 : MPI_UNDEFINED, rank, &communicator_));
  }
  ~Firsts() {
    if (communicator_ != MPI_COMM_NULL) MPI_REQUIRE(MPI_Comm_free(&communicator_));
  }
  Firsts(const Firsts&) = delete;
  Firsts& operator=(const Firsts&) = delete;

  // Says that this rank is there, and calls `meanwhile(false)` until all are; then
  // `meanwhile(true)`.
  template <typename Meanwhile>
  void gather(Meanwhile meanwhile) {
    MPI_Request request = MPI_REQUEST_NULL;
    int complete = 0;
    MPI_REQUIRE(MPI_Ibarrier(communicator_, &request));
    while (!complete) {
      MPI_REQUIRE(MPI_Test(&request, &complete, MPI_STATUS_IGNORE));
      meanwhile(complete != 0);
    }
  }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

}  // namespace leadline::probe
