// Every rank sends to both its neighbours on a ring and receives from both: time until it may go
// on, by message size.
#include <mpi.h>

#include <array>
#include <memory>

#include "benchmarks/mpi/messages.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe {
namespace {

// The way that a message goes round the ring: its tag, and its place among the messages. Where both
// neighbours are one rank it tells the two messages apart.
enum Way { kRightward = 0, kLeftward = 1 };
constexpr int kWays = 2;

class Exchange {
 public:
  explicit Exchange(const Point& point)
      : rank_(point.world().rank()),
        left_((rank_ + point.world().size() - 1) % point.world().size()),
        right_((rank_ + 1) % point.world().size()),
        out_(point, point.bytes(), kWays),
        in_(point, point.bytes(), kWays) {}

  std::vector<int> neighbours() const {
    return left_ == right_ ? std::vector<int>{left_} : std::vector<int>{left_, right_};
  }
  void call() {
    std::array<MPI_Request, kWays> sends{};
    in_.step();
    send(kRightward, right_, &sends[kRightward]);
    send(kLeftward, left_, &sends[kLeftward]);
    receive(kRightward, left_);
    receive(kLeftward, right_);
    MPI_REQUIRE(MPI_Waitall(kWays, sends.data(), MPI_STATUSES_IGNORE));
    out_.step();
  }
  void fill(std::uint64_t seed) {
    out_.fill(seed, rank_);
    in_.clear(seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    return in_.wrong_bytes_of(kRightward, seed, left_) +
           in_.wrong_bytes_of(kLeftward, seed, right_);
  }

 private:
  void send(Way way, int to, MPI_Request* request) {
    MPI_REQUIRE(MPI_Isend(out_.at(way), out_.bytes(), MPI_BYTE, to, way, communicator_, request));
  }
  void receive(Way way, int from) {
    MPI_REQUIRE(
        MPI_Recv(in_.at(way), in_.bytes(), MPI_BYTE, from, way, communicator_, MPI_STATUS_IGNORE));
  }

  int rank_;
  int left_;
  int right_;
  Messages out_;
  Messages in_;
  MPI_Comm communicator_ = benchmark_communicator();
};

Operation prepare(const Point& point) {
  const auto exchange = std::make_shared<Exchange>(point);
  Operation operation = operation_of(exchange);
  operation.neighbours = exchange->neighbours();
  operation.bytes = point.bytes();
  operation.moved_bytes = 2.0 * kWays * static_cast<double>(point.bytes());
  operation.messages = static_cast<double>(kWays) * point.world().size();
  return operation;
}

const Registration exchange{{
    .name = "mpi/exchange",
    .title = "Exchange with both neighbours",
    .summary = "time in which every rank sends to both its neighbours on a ring with MPI_Isend and "
               "receives from both with MPI_Recv (IMB's Exchange); the bandwidth counts the four "
               "messages of one rank",
    .axes = {bytes_axis("0,1:4M:x2")},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2},
    .series = {{"completion",
                "from before the first MPI_Isend to after the MPI_Waitall on each rank; exchanges "
                "follow each other without a barrier, and the slowest rank counts"}},
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
