// Rank 0 streams to rank 1, a window of messages at a time: time per message, and so the bandwidth.
#include <memory>

#include "benchmarks/mpi/flow.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  const int rank = point.world().rank();
  const int window = static_cast<int>(point.integer("window"));
  const auto side = rank == 0 ? Flow::Side::kSend : Flow::Side::kReceive;
  Operation operation =
      operation_of(std::make_shared<Burst>(point, side, 1 - rank, point.bytes(), window));
  if (rank != 0) operation.series = kNotTimed;
  operation.peer = 1 - rank;
  operation.operations_per_call = window;
  operation.bytes = point.bytes();
  operation.moved_bytes = static_cast<double>(point.bytes());
  operation.messages = 1.0;
  return operation;
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
    .start = Start::kBackToBack,
    .prepare = prepare,
    .headlines = {{Headline::Of::kRate, "Streaming bandwidth"}},
}};

}  // namespace
}  // namespace leadline::probe
