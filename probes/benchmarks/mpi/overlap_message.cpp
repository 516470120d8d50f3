// How much of a message hides behind computation: on the sender, the receiver, or both.
#include <mpi.h>

#include <memory>
#include <string>

#include "benchmarks/mpi/messages.hpp"
#include "benchmarks/mpi/overlap.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe {
namespace {

constexpr int kSender = 0;
constexpr int kTag = 0;

Transfer send_to(const Point& point, int peer) {
  const auto message = std::make_shared<Messages>(point, point.bytes(), 1);
  return {
      .start =
          [message, peer](MPI_Request* request) {
            MPI_REQUIRE(MPI_Isend(message->at(0), message->bytes(), MPI_BYTE, peer, kTag,
                                  benchmark_communicator(), request));
          },
      .ended = [message] { message->step(); },
      .fill = [message](std::uint64_t seed) { message->fill(seed, kSender); },
      .wrong_bytes = [](std::uint64_t) { return std::size_t{0}; },
  };
}

Transfer receive_from(const Point& point, int peer) {
  const auto message = std::make_shared<Messages>(point, point.bytes(), 1);
  return {
      .start =
          [message, peer](MPI_Request* request) {
            message->step();
            MPI_REQUIRE(MPI_Irecv(message->at(0), message->bytes(), MPI_BYTE, peer, kTag,
                                  benchmark_communicator(), request));
          },
      .fill = [message](std::uint64_t seed) { message->clear(seed); },
      .wrong_bytes = [message](std::uint64_t seed) { return message->wrong_bytes(seed, kSender); },
  };
}

Operation prepare(const Point& point) {
  const int rank = point.world().rank();
  const int peer = 1 - rank;
  const std::string& side = point.choice("side");
  const bool computes = side == "both" || side == (rank == kSender ? "sender" : "receiver");
  const auto transfer = [&] {
    return rank == kSender ? send_to(point, peer) : receive_from(point, peer);
  };
  Operation operation = overlapped(point, transfer, computes);
  operation.peer = peer;
  operation.bytes = point.bytes();
  return operation;
}

Axis side_axis() {
  Axis axis = task_axis("side",
                        "which rank computes between MPI_Isend or MPI_Irecv and its wait; the "
                        "other one only waits",
                        {"sender", "receiver", "both"});
  axis.default_values = "sender,receiver,both";
  return axis;
}

const Registration overlap{{
    .name = "mpi/overlap",
    .title = "Overlap",
    .summary = "a message from rank 0 to rank 1 with MPI_Isend and MPI_Irecv alone, computation "
               "alone, and both together",
    .axes = {bytes_axis("8,4K,64K,1M,4M"), side_axis(), progress_axis()},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2, .maximum = 2},
    .series = overlap_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
