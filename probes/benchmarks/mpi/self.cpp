// Every rank sends messages to itself: what the library's own path through memory costs.
#include <memory>

#include "benchmarks/mpi/flow.hpp"

namespace leadline::probe {
namespace {

class Mirror {
 public:
  explicit Mirror(const Point& point)
      : in_(point, Flow::Side::kReceive, point.world().rank(), point.bytes(), 1),
        out_(point, Flow::Side::kSend, point.world().rank(), point.bytes(), 1) {}

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
  Operation operation = operation_of(point, std::make_shared<Mirror>(point));
  operation.peer = point.world().rank();
  operation.messages = point.world().size();
  return operation;
}

const Registration self{{
    .name = "mpi/self",
    .title = "Message to self",
    .summary = "time of a message that a rank sends to itself, on all ranks at once",
    .axes = {bytes_axis("0,1:4M:x2")},
    .sizes = kMessageSizes,
    .series = {{"completion",
                "from before MPI_Irecv, with MPI_Isend and the waits for both, to after the last "
                "wait on each rank; the slowest rank counts"}},
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
