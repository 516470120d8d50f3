// A message whose receive is posted only when it has come, against one whose receive waits for it.
#include <mpi.h>

#include <memory>
#include <string>

#include "benchmarks/mpi/messages.hpp"
#include "comm/mpi_world.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

constexpr int kReceiver = 0;
constexpr int kSender = 1;
enum Tag { kReady, kPayload, kSent };

// Both arrivals exchange the same three messages: the receiver says that it is ready; the sender
// starts the payload and then says that it is sent. What differs is when the receive is posted:
// before "ready", so before the payload can start; or after "sent", which came behind the payload.
// Messages from one rank on one communicator are matched in the order of their sending, so by then
// the library has the payload, or where it is too large to be sent unasked, its announcement.
class LateReceive {
 public:
  explicit LateReceive(const Point& point)
      : rank_(point.world().rank()),
        expected_(point.choice("arrival") == "expected"),
        message_(point, point.bytes(), 1) {}

  void call() {
    if (rank_ == kReceiver) {
      receive();
    } else {
      send();
    }
  }
  void fill(std::uint64_t seed) {
    if (rank_ == kSender) {
      message_.fill(seed, kSender);
    } else {
      message_.clear(seed);
    }
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    return rank_ == kReceiver ? message_.wrong_bytes(seed, kSender) : 0;
  }

 private:
  void receive() {
    message_.step();
    if (expected_) post();
    say(kReady, kSender);
    hear(kSent, kSender);
    if (!expected_) post();
    MPI_REQUIRE(MPI_Wait(&request_, MPI_STATUS_IGNORE));
  }
  void send() {
    hear(kReady, kReceiver);
    MPI_REQUIRE(MPI_Isend(message_.at(0), message_.bytes(), MPI_BYTE, kReceiver, kPayload,
                          communicator_, &request_));
    say(kSent, kReceiver);
    MPI_REQUIRE(MPI_Wait(&request_, MPI_STATUS_IGNORE));
    message_.step();
  }
  void post() {
    MPI_REQUIRE(MPI_Irecv(message_.at(0), message_.bytes(), MPI_BYTE, kSender, kPayload,
                          communicator_, &request_));
  }
  void say(Tag what, int to) {
    MPI_REQUIRE(MPI_Send(nullptr, 0, MPI_BYTE, to, what, communicator_));
  }
  void hear(Tag what, int from) {
    MPI_REQUIRE(MPI_Recv(nullptr, 0, MPI_BYTE, from, what, communicator_, MPI_STATUS_IGNORE));
  }

  int rank_;
  bool expected_;
  Messages message_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Comm communicator_ = benchmark_communicator();
};

Operation prepare(const Point& point) {
  require_real("a copy of a message takes no time");
  const int rank = point.world().rank();
  Operation operation = operation_of(point, std::make_shared<LateReceive>(point));
  if (rank != kReceiver) operation.series = kNotTimed;
  operation.peer = 1 - rank;
  return operation;
}

Axis arrival_axis() {
  Axis axis = choice_axis("arrival",
                          "unexpected: MPI_Irecv when the message, or its announcement, has come; "
                          "expected: MPI_Irecv before the message can be sent",
                          {"unexpected", "expected"});
  axis.default_values = "unexpected,expected";
  return axis;
}

const Registration unexpected{{
    .name = "mpi/unexpected",
    .title = "Unexpected messages",
    .summary = "what it costs to post a receive late: the same messages, with the receive posted "
               "before the message can be sent or after it has come; the difference is the extra "
               "copy, or the handshake begun late",
    .axes = {bytes_axis("0,1:4M:x2"), arrival_axis()},
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"request to data",
                "from before rank 0 asks for the message with an empty one, and posts its receive "
                "first where it is expected, to when it has received the message and the empty one "
                "sent behind it; rank 0 stops the clock"}},
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
