// Rounds of disjoint pairs of ranks: what each pair gets, beside all others or alone. A schedule
// of rounds shows which node or link is slow.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/mpi/firsts.hpp"
#include "benchmarks/mpi/messages.hpp"
#include "benchmarks/mpi/schedule.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe {
namespace {

// The tag of the first rank's messages tells the second one whether another exchange follows.
enum Tag { kGoOn, kLast, kTurn };

enum class Mode { kPingpong, kStream, kExchange };

Mode mode_of(const std::string& name) {
  if (name == "pingpong") return Mode::kPingpong;
  return name == "stream" ? Mode::kStream : Mode::kExchange;
}

// Exchanges in one sample: those of a short message are short against the clock.
int exchanges_of(std::size_t bytes, std::size_t window) {
  constexpr std::size_t kSampleBytes = std::size_t{64} << 10;
  const std::size_t most = window > 1 ? 4 : 16;
  return static_cast<int>(std::clamp<std::size_t>(kSampleBytes / (bytes * window + 1), 1, most));
}

constexpr std::chrono::microseconds kShortestPause{50};

void pause_for(std::chrono::microseconds time) {
  if (!kSimulated) std::this_thread::sleep_for(time);
}

// For how long ranks that wait sleep at most: where they share cores, so long that whom they wait
// for has one.
std::chrono::microseconds longest_pause(const Point& point) {
  return point.oversubscribed() ? 40 * kShortestPause : kShortestPause;
}

template <typename Test>
void await(const Point& point, Test test) {
  auto pause = kShortestPause;
  for (int done = 0; true; pause = std::min(2 * pause, longest_pause(point))) {
    test(done);
    if (done) return;
    pause_for(pause);
  }
}

void await_all(const Point& point) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_REQUIRE(MPI_Ibarrier(benchmark_communicator(), &request));
  await(point, [&](int& all) { MPI_REQUIRE(MPI_Test(&request, &all, MPI_STATUS_IGNORE)); });
}

enum class Role { kFirst, kSecond, kNone };

// Messages between the two ranks of a pair.
class Talk {
 public:
  Talk(const Point& point, Role role, int peer)
      : mode_(mode_of(point.choice("mode"))),
        rank_(point.world().rank()),
        peer_(peer),
        count_(mode_ == Mode::kPingpong ? 1 : static_cast<int>(point.integer("window"))),
        out_(point, role == Role::kNone ? 0 : point.bytes(), count_),
        in_(point, role == Role::kNone ? 0 : point.bytes(), count_),
        requests_(2 * static_cast<std::size_t>(count_), MPI_REQUEST_NULL),
        statuses_(requests_.size()) {}

  // Messages from one rank to the other, in one exchange; a round trip has two, one after the
  // other.
  int messages() const { return mode_ == Mode::kPingpong ? 2 : count_; }
  void lead(Tag tag) {
    begin();
    if (mode_ == Mode::kExchange) {
      both(tag);
    } else {
      send(tag);
      if (mode_ == Mode::kPingpong) {
        receive();
      } else {
        acknowledged();
      }
    }
    end(mode_ != Mode::kStream);
  }
  // Returns what the first rank has said.
  int follow() {
    begin();
    int tag = kGoOn;
    if (mode_ == Mode::kExchange) {
      tag = both(kGoOn);
    } else {
      tag = receive();
      if (mode_ == Mode::kPingpong) {
        send(kGoOn);
      } else {
        acknowledge();
      }
    }
    end(true);
    return tag;
  }
  void verify_with(std::uint64_t seed) {
    seed_ = seed;
    verifies_ = true;
    exchanges_ = 0;
    wrong_bytes_ = 0;
  }
  std::size_t wrong_bytes() {
    verifies_ = false;
    return wrong_bytes_;
  }

 private:
  void begin() {
    in_.step();
    if (!verifies_) return;
    out_.fill(content(), rank_);
    in_.clear(content());
  }
  void end(bool received) {
    out_.step();
    if (!verifies_) return;
    if (received) wrong_bytes_ += in_.wrong_bytes(content(), peer_);
    ++exchanges_;
  }
  // Each exchange that is verified has a content of its own.
  std::uint64_t content() const { return content_word(seed_, exchanges_); }
  void post_sends(Tag tag, MPI_Request* requests) {
    for (int i = 0; i < count_; ++i) {
      MPI_REQUIRE(
          MPI_Isend(out_.at(i), out_.bytes(), MPI_BYTE, peer_, tag, communicator_, requests + i));
    }
  }
  void post_receives(MPI_Request* requests) {
    for (int i = 0; i < count_; ++i) {
      MPI_REQUIRE(MPI_Irecv(in_.at(i), in_.bytes(), MPI_BYTE, peer_, MPI_ANY_TAG, communicator_,
                            requests + i));
    }
  }
  void send(Tag tag) {
    if (count_ == 1) {
      MPI_REQUIRE(MPI_Send(out_.at(0), out_.bytes(), MPI_BYTE, peer_, tag, communicator_));
      return;
    }
    post_sends(tag, requests_.data());
    MPI_REQUIRE(MPI_Waitall(count_, requests_.data(), MPI_STATUSES_IGNORE));
  }
  int receive() {
    if (count_ == 1) {
      MPI_REQUIRE(MPI_Recv(in_.at(0), in_.bytes(), MPI_BYTE, peer_, MPI_ANY_TAG, communicator_,
                           statuses_.data()));
    } else {
      post_receives(requests_.data());
      MPI_REQUIRE(MPI_Waitall(count_, requests_.data(), statuses_.data()));
    }
    return statuses_[0].MPI_TAG;
  }
  int both(Tag tag) {
    post_receives(requests_.data());
    post_sends(tag, requests_.data() + count_);
    MPI_REQUIRE(MPI_Waitall(2 * count_, requests_.data(), statuses_.data()));
    return statuses_[0].MPI_TAG;
  }
  void acknowledge() { MPI_REQUIRE(MPI_Send(nullptr, 0, MPI_BYTE, peer_, kGoOn, communicator_)); }
  void acknowledged() {
    MPI_REQUIRE(
        MPI_Recv(nullptr, 0, MPI_BYTE, peer_, MPI_ANY_TAG, communicator_, MPI_STATUS_IGNORE));
  }

  Mode mode_;
  int rank_;
  int peer_;
  int count_;
  Messages out_;
  Messages in_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::uint64_t seed_ = 0;
  bool verifies_ = false;
  std::uint64_t exchanges_ = 0;
  std::size_t wrong_bytes_ = 0;
  MPI_Comm communicator_ = benchmark_communicator();
};

// One rank's part of a repetition, of whose three parts the middle one is timed. With all pairs at
// once, they talk before and after it until all of them do, so that while any clock runs every pair
// talks. One at a time, each waits for its turn, and for the last one's end.
class Round {
 public:
  Round(const Point& point, const std::vector<Pair>& pairs, int turn, Role role, int peer)
      : point_(point),
        alone_(point.choice("load") == "one"),
        role_(role),
        peer_(peer),
        exchanges_(exchanges_of(point.bytes(), static_cast<std::size_t>(point.integer("window")))),
        before_(role == Role::kFirst && turn > 0 ? pairs[at(turn - 1)].first : MPI_PROC_NULL),
        after_(role == Role::kFirst && at(turn) + 1 < pairs.size() ? pairs[at(turn) + 1].first
                                                                   : MPI_PROC_NULL),
        talk_(point, role, peer),
        firsts_(role == Role::kFirst, point.world().rank()) {}

  int messages() const { return exchanges_ * talk_.messages(); }
  void begin() {
    if (alone_) {
      await_turn();
    } else {
      if (role_ == Role::kFirst) talk_.lead(kGoOn);
      together();
    }
  }
  void timed() {
    for (int i = 0; i < exchanges_; ++i) {
      if (role_ == Role::kFirst) {
        talk_.lead(kGoOn);
      } else if (role_ == Role::kSecond) {
        talk_.follow();
      }
    }
  }
  void finish() {
    if (alone_) {
      give_turn(after_);
      await_all(point_);
    } else {
      together();
    }
  }
  void call() {
    begin();
    timed();
    finish();
  }
  void fill(std::uint64_t seed) { talk_.verify_with(seed); }
  std::size_t wrong_bytes(std::uint64_t) { return talk_.wrong_bytes(); }

 private:
  // The second rank answers when it is awake, so that no clock counts how it wakes up.
  void await_turn() {
    if (role_ == Role::kNone) return;
    const int from = role_ == Role::kFirst ? before_ : peer_;
    if (from == MPI_PROC_NULL) {
      pause_for(2 * longest_pause(point_));  // until the others sleep
    } else {
      await(point_, [&](int& there) {
        MPI_REQUIRE(MPI_Iprobe(from, kTurn, communicator_, &there, MPI_STATUS_IGNORE));
      });
    }
    take_turn(from);
    give_turn(peer_);
    if (role_ == Role::kFirst) take_turn(peer_);
  }
  void take_turn(int from) {
    MPI_REQUIRE(MPI_Recv(nullptr, 0, MPI_BYTE, from, kTurn, communicator_, MPI_STATUS_IGNORE));
  }
  void give_turn(int to) { MPI_REQUIRE(MPI_Send(nullptr, 0, MPI_BYTE, to, kTurn, communicator_)); }
  static std::size_t at(int turn) { return static_cast<std::size_t>(turn); }
  // Each first rank says so when its pair talks, or has ended what is timed.
  void together() {
    if (role_ == Role::kFirst) {
      firsts_.gather([this](bool all) { talk_.lead(all ? kLast : kGoOn); });
    } else if (role_ == Role::kSecond) {
      while (talk_.follow() != kLast) {
      }
    }
  }

  Point point_;
  bool alone_;
  Role role_;
  int peer_;
  int exchanges_;
  int before_;
  int after_;
  Talk talk_;
  Firsts firsts_;
  MPI_Comm communicator_ = benchmark_communicator();
};

Operation prepare(const Point& point) {
  const int rank = point.world().rank();
  const std::vector<Pair> pairs =
      pairs_of_round(point.world(), point.folder(), point.integer("round"), point.seed(),
                     [&point] { await_all(point); });
  Role role = Role::kNone;
  int peer = -1;
  int turn = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].first != rank && pairs[i].second != rank) continue;
    role = pairs[i].first == rank ? Role::kFirst : Role::kSecond;
    peer = pairs[i].first == rank ? pairs[i].second : pairs[i].first;
    turn = static_cast<int>(i);
  }
  const auto round = std::make_shared<Round>(point, pairs, turn, role, peer);
  const bool exchange = point.choice("mode") == "exchange";
  Operation operation = operation_of(round);
  operation.call = [round] { round->begin(); };
  operation.series = kNotTimed;
  operation.then = {{[round] { round->timed(); }, role == Role::kFirst ? 0 : kNotTimed},
                    {[round] { round->finish(); }, kNotTimed}};
  operation.every_call = true;
  operation.peer = peer;
  if (peer >= 0) operation.neighbours = {peer};
  operation.operations_per_call = round->messages();
  operation.bytes = point.bytes();
  operation.moved_bytes = (exchange ? 2.0 : 1.0) * static_cast<double>(point.bytes());
  operation.messages = exchange ? 2.0 : 1.0;
  operation.metrics = [count = pairs.size()] {
    return std::map<std::string, double>{{"pairs", static_cast<double>(count)}};
  };
  return operation;
}

Axis window_axis() {
  return {.name = "window",
          .kind = AxisKind::kInteger,
          .summary = "messages under way together; of pingpong one",
          .default_values = "8",
          .minimum = 1,
          .maximum = 4096};
}

Axis round_axis() {
  return {.name = "round",
          .kind = AxisKind::kInteger,
          .summary =
              "which pairs: a line of the schedule of `leadline screen`; else a number from "
              "which random pairs are drawn",
          .default_values = "0",
          .minimum = 0,
          .maximum = 1e6,
          .ways = false};
}

const Registration rounds{{
    .name = "mpi/rounds",
    .title = "Rounds of pairs",
    .summary = "time of a message in each of the disjoint pairs of a round, all at once or one "
               "pair after the other: a node or link is slow whose pairs are",
    .axes = {bytes_axis("8,256K"), round_axis(),
             task_axis(
                 "mode",
                 "pingpong: MPI_Send and MPI_Recv in turn; stream: a window of messages, then "
                 "an answer; exchange: a window in both directions at once",
                 {"pingpong", "stream", "exchange"}),
             window_axis(),
             task_axis("load", "all: every pair talks; one: only the pair that is timed",
                       {"all", "one"})},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2},
    .series =
        {{"each pair",
          "pingpong: half of a round trip; stream, exchange: a window over its messages. Each "
          "pair's first rank stops a clock, and the slowest pair counts"}},
    .prepare = prepare,
    .starts = {Start::kBackToBack},
}};

}  // namespace
}  // namespace leadline::probe
