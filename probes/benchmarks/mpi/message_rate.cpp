// All ranks in pairs stream small messages at once: how many messages a second.
#include <memory>

#include "benchmarks/mpi/flow.hpp"

namespace leadline::probe {
namespace {

Axis small_bytes_axis() {
  Axis axis = bytes_axis("1:4K:x4");
  axis.quick_values = "8,4K";
  return axis;
}

// The lower half of the ranks sends, each to the rank half-way round.
Operation prepare(const Point& point) {
  const int rank = point.world().rank();
  const int pairs = point.world().size() / 2;
  const bool sends = rank < pairs;
  const int peer = sends ? rank + pairs : rank - pairs;
  const int window = static_cast<int>(point.integer("window"));
  const auto side = sends ? Flow::Side::kSend : Flow::Side::kReceive;
  Operation operation =
      operation_of(std::make_shared<Burst>(point, side, peer, point.bytes(), window));
  if (!sends) operation.series = kNotTimed;
  operation.peer = peer;
  operation.neighbours = {peer};
  operation.operations_per_call = window;
  operation.bytes = point.bytes();
  operation.moved_bytes = static_cast<double>(pairs) * static_cast<double>(point.bytes());
  operation.messages = pairs;
  operation.metrics = [pairs] {
    return std::map<std::string, double>{{"pairs", static_cast<double>(pairs)}};
  };
  return operation;
}

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
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
