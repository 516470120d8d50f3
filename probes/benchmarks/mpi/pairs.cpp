// Several pairs of ranks bounce or exchange messages at once: what each pair gets of the machine
// beside the others.
#include <mpi.h>

#include <algorithm>
#include <memory>
#include <string>

#include "benchmarks/mpi/firsts.hpp"
#include "benchmarks/mpi/messages.hpp"
#include "benchmarks/mpi/pairing.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe {
namespace {

// The tag of a message tells the second rank of a pair whether another round follows.
enum Tag { kGoOn, kLast };

// Rounds in one sample: small messages are short against the clock.
int rounds_of(std::size_t bytes) {
  constexpr std::size_t kSampleBytes = std::size_t{256} << 10;
  return static_cast<int>(std::clamp<std::size_t>(kSampleBytes / (bytes + 1), 4, 16));
}

// One rank of a pair. A repetition has three parts, of which the middle one is timed. Pairs begin
// to play, and go on until all of them play; play their timed rounds; and go on until all of them
// have finished theirs. So while any clock runs, every pair plays, however much faster or slower it
// is than the others.
class Match {
 public:
  enum class Role { kFirst, kSecond, kNone };

  Match(const Point& point, Role role, int peer)
      : role_(role),
        rank_(point.world().rank()),
        peer_(peer),
        exchange_(point.choice("mode") == "exchange"),
        rounds_(rounds_of(point.bytes())),
        bytes_(static_cast<int>(point.bytes())),
        out_(point.buffer(role == Role::kNone ? 0 : point.bytes())),
        in_(point.buffer(role == Role::kNone ? 0 : point.bytes())),
        firsts_(role == Role::kFirst, rank_) {}

  int rounds() const { return rounds_; }
  void begin() {
    if (role_ == Role::kFirst) {
      lead(kGoOn);
      firsts_.gather([this](bool all) { lead(all ? kLast : kGoOn); });
    } else {
      follow_to_last();
    }
  }
  void timed() {
    for (int i = 0; i < rounds_; ++i) {
      if (role_ == Role::kFirst) {
        lead(kGoOn);
      } else if (role_ == Role::kSecond) {
        follow();
      }
    }
  }
  void play_on() {
    if (role_ == Role::kFirst) {
      firsts_.gather([this](bool all) { lead(all ? kLast : kGoOn); });
    } else {
      follow_to_last();
    }
  }
  void call() {
    begin();
    timed();
    play_on();
  }
  // The call that is verified sends many messages: each has a content of its own then.
  void fill(std::uint64_t seed) {
    seed_ = seed;
    verifies_ = true;
    sent_ = 0;
    received_ = 0;
    wrong_bytes_ = 0;
  }
  std::size_t wrong_bytes(std::uint64_t) {
    verifies_ = false;
    return wrong_bytes_;
  }

 private:
  std::uint64_t content_of(int sender, std::uint64_t message) const {
    return content_word(content_word(seed_, static_cast<std::uint64_t>(sender)), message);
  }
  // One round of the first rank, and of the second, which returns what the first has said.
  void lead(Tag tag) {
    if (exchange_) {
      swap(tag);
    } else {
      send(tag);
      receive();
    }
  }
  int follow() {
    if (exchange_) return swap(kGoOn);
    const int tag = receive();
    send(kGoOn);
    return tag;
  }
  void follow_to_last() {
    if (role_ == Role::kNone) return;
    while (follow() != kLast) {
    }
  }
  void send(Tag tag) {
    if (verifies_) fill_content(out_.data(), out_.bytes(), content_of(rank_, sent_++));
    MPI_REQUIRE(MPI_Send(out_.data(), bytes_, MPI_BYTE, peer_, tag, communicator_));
    out_.step();
  }
  int receive() {
    MPI_Status status;
    in_.step();
    MPI_REQUIRE(MPI_Recv(in_.data(), bytes_, MPI_BYTE, peer_, MPI_ANY_TAG, communicator_, &status));
    if (verifies_) verify();
    return status.MPI_TAG;
  }
  int swap(Tag tag) {
    MPI_Status status;
    if (verifies_) fill_content(out_.data(), out_.bytes(), content_of(rank_, sent_++));
    in_.step();
    MPI_REQUIRE(MPI_Sendrecv(out_.data(), bytes_, MPI_BYTE, peer_, tag, in_.data(), bytes_,
                             MPI_BYTE, peer_, MPI_ANY_TAG, communicator_, &status));
    out_.step();
    if (verifies_) verify();
    return status.MPI_TAG;
  }
  void verify() {
    wrong_bytes_ += wrong_content(in_.data(), in_.bytes(), content_of(peer_, received_++));
  }

  Role role_;
  int rank_;
  int peer_;
  bool exchange_;
  int rounds_;
  int bytes_;
  Buffer out_;
  Buffer in_;
  Firsts firsts_;
  std::uint64_t seed_ = 0;
  bool verifies_ = false;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::size_t wrong_bytes_ = 0;
  MPI_Comm communicator_ = benchmark_communicator();
};

// The pairs that play; throws Unavailable where they cannot, or where the point is another's.
std::vector<Pair> players(const Point& point) {
  const int ranks = point.world().size();
  const auto wanted = static_cast<std::size_t>(point.integer("pairs"));
  const std::string& distance = point.choice("distance");
  std::vector<Pair> pairs = pairs_of(distance, ranks, point.seed());
  if (wanted > pairs.size()) {
    throw Unavailable(std::to_string(wanted) + " pairs need " + std::to_string(2 * wanted) +
                      " ranks, and there are " + std::to_string(ranks));
  }
  if (ranks == 2 && distance != "neighbours") {
    throw Unavailable("two ranks make the same pair as with distance=neighbours");
  }
  if (wanted == 0 && pairs.size() == 1) throw Unavailable("only one pair fits: same as pairs=1");
  if (wanted > 0) pairs.resize(wanted);
  return pairs;
}

Operation prepare(const Point& point) {
  const int rank = point.world().rank();
  const std::vector<Pair> pairs = players(point);
  Match::Role role = Match::Role::kNone;
  int peer = -1;
  for (const Pair& pair : pairs) {
    if (pair.first != rank && pair.second != rank) continue;
    role = pair.first == rank ? Match::Role::kFirst : Match::Role::kSecond;
    peer = pair.first == rank ? pair.second : pair.first;
  }
  const auto match = std::make_shared<Match>(point, role, peer);
  const bool exchange = point.choice("mode") == "exchange";
  Operation operation = operation_of(match);
  operation.call = [match] { match->begin(); };
  operation.series = kNotTimed;
  operation.then = {{[match] { match->timed(); }, role == Match::Role::kFirst ? 0 : kNotTimed},
                    {[match] { match->play_on(); }, kNotTimed}};
  operation.every_call = true;
  operation.peer = peer;
  if (peer >= 0) operation.neighbours = {peer};
  operation.operations_per_call = (exchange ? 1 : 2) * match->rounds();
  operation.bytes = point.bytes();
  operation.moved_bytes = (exchange ? 2.0 : 1.0) * static_cast<double>(point.bytes());
  operation.metrics = [count = pairs.size()] {
    return std::map<std::string, double>{{"pairs", static_cast<double>(count)}};
  };
  return operation;
}

Axis pairs_axis() {
  return {"pairs", AxisKind::kInteger, "pairs that play at once; 0: as many as there are", "1,0"};
}

Axis mode_axis() {
  Axis axis = task_axis("mode",
                        "pingpong: MPI_Send and MPI_Recv in turn; exchange: both ranks at once "
                        "with MPI_Sendrecv",
                        {"pingpong", "exchange"});
  axis.quick_values = "pingpong";
  return axis;
}

const Registration pairs{{
    .name = "mpi/pairs",
    .title = "Pairs at once",
    .summary = "one-way time of a message in each of several pairs that play at once, the ranks "
               "outside them idle; the bandwidth is that of one pair, and all pairs together move "
               "as many times that as there are",
    .axes = {bytes_axis("8,1K,64K,1M"), pairs_axis(),
             task_axis("distance",
                       "neighbours: 0 with 1, 2 with 3 and so on; half: each rank of the lower "
                       "half with the one half-way round, i with i + P/2; bisection: mirrored at "
                       "the middle, i with P-1-i, so that distances differ and each pair crosses "
                       "the middle; random: drawn for each launch",
                       {"neighbours", "half", "random", "bisection"}),
             mode_axis()},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2},
    .series = {{"each pair",
                "pingpong: half of a round trip; exchange: one MPI_Sendrecv, in which the pair "
                "moves two messages. The mean of 4 to 16 in a row, while every other pair plays "
                "too; each pair's first rank stops a clock, and the slowest pair counts"}},
    .prepare = prepare,
    .starts = {Start::kBackToBack},
}};

}  // namespace
}  // namespace leadline::probe
