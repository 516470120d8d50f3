// One side of a window of messages that are all under way at once, from one rank to another.
#pragma once

#include <mpi.h>

#include <vector>

#include "benchmarks/mpi/messages.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe {

class Flow {
 public:
  enum class Side { kSend, kReceive };

  // To or from `peer`, `window` messages of the same tag: they match in the order of their sending.
  Flow(const Point& point, Side side, int peer, std::size_t bytes, int window)
      : side_(side),
        peer_(peer),
        sender_(side == Side::kSend ? point.world().rank() : peer),
        messages_(point, bytes, window),
        requests_(static_cast<std::size_t>(window), MPI_REQUEST_NULL) {}

  void start() {
    if (side_ == Side::kReceive) messages_.step();
    for (int i = 0; i < messages_.count(); ++i) {
      MPI_Request* request = &requests_[static_cast<std::size_t>(i)];
      if (side_ == Side::kSend) {
        MPI_REQUIRE(MPI_Isend(messages_.at(i), messages_.bytes(), MPI_BYTE, peer_, kTag,
                              communicator_, request));
      } else {
        MPI_REQUIRE(MPI_Irecv(messages_.at(i), messages_.bytes(), MPI_BYTE, peer_, kTag,
                              communicator_, request));
      }
    }
  }
  void finish() {
    MPI_REQUIRE(MPI_Waitall(messages_.count(), requests_.data(), MPI_STATUSES_IGNORE));
    if (side_ == Side::kSend) messages_.step();
  }
  void fill(std::uint64_t seed) {
    if (side_ == Side::kSend) {
      messages_.fill(seed, sender_);
    } else {
      messages_.clear(seed);
    }
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    return side_ == Side::kReceive ? messages_.wrong_bytes(seed, sender_) : 0;
  }

 private:
  static constexpr int kTag = 0;

  Side side_;
  int peer_;
  int sender_;
  Messages messages_;
  std::vector<MPI_Request> requests_;
  MPI_Comm communicator_ = benchmark_communicator();
};

// A window one way, and an empty message back once all of it has come, which lets the sender's
// clock stop: what is sent back to back, as by osu_bw.
class Burst {
 public:
  Burst(const Point& point, Flow::Side side, int peer, std::size_t bytes, int window)
      : side_(side), peer_(peer), flow_(point, side, peer, bytes, window) {}

  void call() {
    flow_.start();
    flow_.finish();
    if (side_ == Flow::Side::kSend) {
      MPI_REQUIRE(
          MPI_Recv(nullptr, 0, MPI_BYTE, peer_, kAllCome, communicator_, MPI_STATUS_IGNORE));
    } else {
      MPI_REQUIRE(MPI_Send(nullptr, 0, MPI_BYTE, peer_, kAllCome, communicator_));
    }
  }
  void fill(std::uint64_t seed) { flow_.fill(seed); }
  std::size_t wrong_bytes(std::uint64_t seed) { return flow_.wrong_bytes(seed); }

 private:
  static constexpr int kAllCome = 1;

  Flow::Side side_;
  int peer_;
  Flow flow_;
  MPI_Comm communicator_ = benchmark_communicator();
};

// How many messages are under way at once.
inline Axis window_axis(std::string default_values) {
  Axis axis{"window", AxisKind::kInteger, "messages under way at once", std::move(default_values)};
  axis.minimum = 1;
  axis.maximum = 16384;
  return axis;
}

}  // namespace leadline::probe
