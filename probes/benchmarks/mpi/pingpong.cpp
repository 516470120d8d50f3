// Two ranks bounce a message: the time of one way, by message size.
#include <mpi.h>

#include <memory>
#include <stdexcept>

#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "worlds/mpi_world.hpp"

namespace leadline {
namespace {

struct Ball {
  Buffer out;
  Buffer in;
  int bytes;
  int rank;
  int peer;
  MPI_Comm communicator;

  void send() {
    MPI_REQUIRE(MPI_Send(out.data(), bytes, MPI_BYTE, peer, 0, communicator));
    out.step();
  }
  void receive() {
    in.step();
    MPI_REQUIRE(MPI_Recv(in.data(), bytes, MPI_BYTE, peer, 0, communicator, MPI_STATUS_IGNORE));
  }
  // Each side's bytes differ, so that an answer which was never sent cannot look right.
  void fill(std::uint64_t seed) {
    fill_content(out.data(), out.bytes(), 2 * seed + static_cast<std::uint64_t>(rank));
    fill_content(in.data(), in.bytes(), ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    return wrong_content(in.data(), in.bytes(), 2 * seed + static_cast<std::uint64_t>(peer));
  }
};

Operation prepare(const Point& point) {
  const std::size_t bytes = point.bytes();
  const int rank = point.world().rank();
  const auto ball = std::make_shared<Ball>(Ball{
      .out = point.buffer(bytes),
      .in = point.buffer(bytes),
      .bytes = static_cast<int>(bytes),
      .rank = rank,
      .peer = 1 - rank,
      .communicator = benchmark_communicator(),
  });
  Operation operation;
  if (rank == 0) {
    operation.call = [ball] {
      ball->send();
      ball->receive();
    };
  } else {
    operation.call = [ball] {
      ball->receive();
      ball->send();
    };
    operation.series = kNotTimed;
  }
  operation.fill = [ball](std::uint64_t seed) { ball->fill(seed); };
  operation.wrong_bytes = [ball](std::uint64_t seed) { return ball->wrong_bytes(seed); };
  operation.peer = ball->peer;
  operation.operations_per_call = 2;
  operation.bytes = bytes;
  operation.moved_bytes = static_cast<double>(bytes);
  return operation;
}

const Registration pingpong{{
    .name = "mpi/pingpong",
    .summary = "one-way time of a message between two ranks, MPI_Send and MPI_Recv",
    .axes = {bytes_axis("0,1:4M:x2")},
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"one-way",
                "half of a round trip, from before MPI_Send to after MPI_Recv on rank 0, which "
                "stops the clock"}},
    .start = Start::kBackToBack,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline
