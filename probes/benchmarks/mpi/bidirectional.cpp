// Two ranks stream to each other at once, a window of messages at a time.
#include <memory>

#include "benchmarks/mpi/flow.hpp"

namespace leadline::probe {
namespace {

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

Operation prepare(const Point& point) {
  const int peer = 1 - point.world().rank();
  const int window = static_cast<int>(point.integer("window"));
  Operation operation = operation_of(std::make_shared<Duplex>(point, peer, window));
  operation.peer = peer;
  operation.operations_per_call = window;
  operation.bytes = point.bytes();
  operation.moved_bytes = 2.0 * static_cast<double>(point.bytes());
  operation.messages = 2.0;
  return operation;
}

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
    .start = Start::kBackToBack,
    .prepare = prepare,
    .headlines = {{Headline::Of::kRate, "Bandwidth both ways"}},
}};

}  // namespace
}  // namespace leadline::probe
