// Two ranks bounce a message: the time of one way, by message size and by the calls that carry it.
#include <mpi.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

class Ball {
 public:
  explicit Ball(const Point& point)
      : out_(point.buffer(point.bytes())),
        in_(point.buffer(point.bytes())),
        bytes_(static_cast<int>(point.bytes())),
        rank_(point.world().rank()),
        peer_(1 - rank_) {}
  virtual ~Ball() = default;

  int peer() const { return peer_; }
  void send() {
    send_message();
    out_.step();
  }
  void receive() {
    in_.step();
    receive_message();
  }
  // Each side's bytes differ, so that an answer which was never sent cannot look right.
  void fill(std::uint64_t seed) {
    fill_content(out_.data(), out_.bytes(), 2 * seed + static_cast<std::uint64_t>(rank_));
    fill_content(in_.data(), in_.bytes(), ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    return wrong_content(in_.data(), in_.bytes(), 2 * seed + static_cast<std::uint64_t>(peer_));
  }

 protected:
  static constexpr int kTag = 0;

  virtual void send_message() {
    MPI_REQUIRE(MPI_Send(out_.data(), bytes_, MPI_BYTE, peer_, kTag, communicator_));
  }
  virtual void receive_message() {
    MPI_REQUIRE(
        MPI_Recv(in_.data(), bytes_, MPI_BYTE, peer_, kTag, communicator_, MPI_STATUS_IGNORE));
  }

  Buffer out_;
  Buffer in_;
  int bytes_;
  int rank_;
  int peer_;
  MPI_Comm communicator_ = benchmark_communicator();
};

class NonblockingBall : public Ball {
 public:
  using Ball::Ball;

 private:
  void send_message() override {
    MPI_REQUIRE(MPI_Isend(out_.data(), bytes_, MPI_BYTE, peer_, kTag, communicator_, &request_));
    MPI_REQUIRE(MPI_Wait(&request_, MPI_STATUS_IGNORE));
  }
  void receive_message() override {
    MPI_REQUIRE(MPI_Irecv(in_.data(), bytes_, MPI_BYTE, peer_, kTag, communicator_, &request_));
    MPI_REQUIRE(MPI_Wait(&request_, MPI_STATUS_IGNORE));
  }

  MPI_Request request_ = MPI_REQUEST_NULL;
};

class PersistentBall : public Ball {
 public:
  explicit PersistentBall(const Point& point) : Ball(point) {
    if (point.cold()) {
      throw Unavailable("a persistent request keeps its buffer: mode=persistent is for cache=warm");
    }
    MPI_REQUIRE(
        MPI_Send_init(out_.data(), bytes_, MPI_BYTE, peer_, kTag, communicator_, &sending_));
    MPI_REQUIRE(
        MPI_Recv_init(in_.data(), bytes_, MPI_BYTE, peer_, kTag, communicator_, &receiving_));
  }
  ~PersistentBall() override {
    MPI_REQUIRE(MPI_Request_free(&sending_));
    MPI_REQUIRE(MPI_Request_free(&receiving_));
  }

 private:
  void send_message() override { complete(sending_); }
  void receive_message() override { complete(receiving_); }
  static void complete(MPI_Request& request) {
    MPI_REQUIRE(MPI_Start(&request));
    MPI_REQUIRE(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }

  MPI_Request sending_ = MPI_REQUEST_NULL;
  MPI_Request receiving_ = MPI_REQUEST_NULL;
};

class SynchronousBall : public Ball {
 public:
  using Ball::Ball;

 private:
  void send_message() override {
    MPI_REQUIRE(MPI_Ssend(out_.data(), bytes_, MPI_BYTE, peer_, kTag, communicator_));
  }
};

std::shared_ptr<Ball> ball_of(const Point& point) {
  const std::string& mode = point.choice("mode");
  if (mode == "blocking") return std::make_shared<Ball>(point);
  if (mode == "nonblocking") return std::make_shared<NonblockingBall>(point);
  if (mode == "persistent") return std::make_shared<PersistentBall>(point);
  if (mode == "synchronous") return std::make_shared<SynchronousBall>(point);
  throw std::invalid_argument("mode=" + mode + " is none of mpi/pingpong");
}

Operation prepare(const Point& point) {
  const std::shared_ptr<Ball> ball = ball_of(point);
  Operation operation = operation_of(point, ball);
  if (point.world().rank() == 0) {
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
  operation.peer = ball->peer();
  operation.operations_per_call = 2;
  return operation;
}

const Registration pingpong{{
    .name = "mpi/pingpong",
    .title = "Ping-pong",
    .summary = "one-way time of a message between two ranks",
    .axes = {bytes_axis("0,1:4M:x2"),
             choice_axis("mode",
                         "blocking: MPI_Send, MPI_Recv; nonblocking: MPI_Isend, MPI_Irecv, each "
                         "with its MPI_Wait; persistent: MPI_Start, MPI_Wait; synchronous: "
                         "MPI_Ssend, MPI_Recv",
                         {"blocking", "nonblocking", "persistent", "synchronous"})},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"one-way",
                "half of a round trip, from before the first call of rank 0's message to after the "
                "last call of the answer's receipt on rank 0, which stops the clock"}},
    .prepare = prepare,
    .delivery = Delivery{Delivery::Sides::kTwoSided, "one-way"},
    .headlines = {{Headline::Of::kTime, "Latency"}, {Headline::Of::kRate, "Bandwidth"}},
    .yardsticks = {{"node/handover", "a copy between the cores", {{"copies", "two"}}}},
}};

}  // namespace
}  // namespace leadline::probe
