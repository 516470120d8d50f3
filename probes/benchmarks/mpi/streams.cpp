// Ranks stream to each other, a window of messages at a time: time per message, and so bandwidth
// and message rate; one way, both ways at once, and all ranks in pairs.
#include <map>
#include <memory>
#include <string>

#include "benchmarks/mpi/flow.hpp"

namespace leadline::probe {
namespace {

int window_of(const Point& point) { return static_cast<int>(point.integer("window")); }

// One side of a stream; the sender's clock counts.
Operation stream(const Point& point, bool sends, int peer) {
  const auto side = sends ? Flow::Side::kSend : Flow::Side::kReceive;
  Operation operation = operation_of(
      point, std::make_shared<Burst>(point, side, peer, point.bytes(), window_of(point)));
  if (!sends) operation.series = kNotTimed;
  operation.peer = peer;
  operation.operations_per_call = window_of(point);
  operation.messages = 1.0;
  return operation;
}

Operation prepare_bandwidth(const Point& point) {
  const int rank = point.world().rank();
  return stream(point, rank == 0, 1 - rank);
}

// The lower half of the ranks sends, each to the rank half-way round.
Operation prepare_message_rate(const Point& point) {
  const int rank = point.world().rank();
  const int pairs = point.world().size() / 2;
  const int peer = rank < pairs ? rank + pairs : rank - pairs;
  Operation operation = stream(point, rank < pairs, peer);
  operation.neighbours = {peer};
  operation.moved_bytes *= pairs;
  operation.messages = pairs;
  operation.metrics = [pairs] {
    return std::map<std::string, double>{{"pairs", static_cast<double>(pairs)}};
  };
  return operation;
}

class Duplex {
 public:
  Duplex(const Point& point, int peer, int window)
      : in_(point, Flow::Side::kReceive, peer, point.bytes(), window),
        out_(point, Flow::Side::kSend, peer, point.bytes(), window) {}

  void call() {
    in_.start();
    out_.start();
    out_.finish();
    in_.finish();
  }
  void fill(std::uint64_t seed) {
    in_.fill(seed);
    out_.fill(seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) { return in_.wrong_bytes(seed); }

 private:
  Flow in_;
  Flow out_;
};

Operation prepare_bidirectional(const Point& point) {
  const int peer = 1 - point.world().rank();
  Operation operation =
      operation_of(point, std::make_shared<Duplex>(point, peer, window_of(point)));
  operation.peer = peer;
  operation.operations_per_call = window_of(point);
  operation.moved_bytes *= 2.0;
  operation.messages = 2.0;
  return operation;
}

Axis small_bytes_axis() {
  Axis axis = bytes_axis("1:4K:x4");
  axis.quick_values = "8,4K";
  return axis;
}

const Registration bandwidth{{
    .name = "mpi/bandwidth",
    .title = "Stream of messages",
    .summary = "time per message of a stream from rank 0 to rank 1, sent a window at a time; each "
               "message of a window has a buffer of its own",
    .axes = {bytes_axis("1:4M:x4"), window_axis("64")},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"per message",
                "from before the first MPI_Isend of a window to after the empty answer that rank 1 "
                "sends when all of it has come, over the messages of the window; rank 0 stops the "
                "clock"}},
    .prepare = prepare_bandwidth,
    .headlines = {{Headline::Of::kRate, "Streaming bandwidth"}},
}};
const Registration message_rate{{
    .name = "mpi/message_rate",
    .title = "Message rate",
    .summary = "time per message of each pair while all ranks stream in pairs, rank i to rank "
               "i + P/2; message rate and bandwidth are those of all pairs together",
    .axes = {small_bytes_axis(), window_axis("64")},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2, .multiple_of = 2},
    .series = {{"per message of a pair",
                "from the common start to after the empty answer of the receiver, which has a "
                "whole window by then, over the messages of the window; each sender stops a clock, "
                "and the slowest pair counts"}},
    .start = Start::kAgreed,
    .prepare = prepare_message_rate,
}};
const Registration bidirectional{{
    .name = "mpi/bidirectional",
    .title = "Messages both ways",
    .summary = "time per message while two ranks stream to each other at once; the bandwidth is "
               "that of both ways together",
    .axes = {bytes_axis("1:4M:x4"), window_axis("64")},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"per message each way",
                "from before the first MPI_Irecv of a window to when all of this rank's messages "
                "have left and all of the other's have come, over the messages of the window; each "
                "rank stops a clock, and the later one counts"}},
    .prepare = prepare_bidirectional,
    .headlines = {{Headline::Of::kRate, "Bandwidth both ways"}},
}};

}  // namespace
}  // namespace leadline::probe
