// What finding the right receive, or the right message, costs among many others that wait.
#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "benchmarks/mpi/messages.hpp"
#include "comm/mpi_world.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

constexpr int kReceiver = 0;
constexpr int kSender = 1;
// Matches in one repetition: one alone is short against the clock.
constexpr int kMatches = 64;
constexpr std::size_t kDecoyBytes = 8;
// The decoys' tags go up from the last of these; every MPI has tags up to 32767.
enum Tag { kReady, kSent, kMatch, kFirstDecoy };
constexpr int kMostDecoys = 16384;

// A repetition builds a queue on the receiver, times matches in it, and takes it down again. The
// queue holds `depth` decoys, receives or messages that nothing timed matches, each of a tag of its
// own, and the timed ones behind them or before them.
class Queue {
 public:
  explicit Queue(const Point& point)
      : rank_(point.world().rank()),
        decoys_first_(point.choice("position") == "last"),
        source_(point.choice("source") == "any" ? MPI_ANY_SOURCE : kSender),
        matches_(point, point.bytes(), kMatches),
        decoys_(point, kDecoyBytes, static_cast<int>(point.integer("depth"))),
        match_requests_(kMatches, MPI_REQUEST_NULL),
        decoy_requests_(static_cast<std::size_t>(decoys_.count()), MPI_REQUEST_NULL) {}
  virtual ~Queue() = default;

  void build() {
    if (rank_ == kReceiver) step();
    rank_ == kReceiver ? receiver_builds() : sender_builds();
  }
  void match() { rank_ == kReceiver ? receiver_matches() : sender_matches(); }
  void take_down() {
    rank_ == kReceiver ? receiver_takes_down() : sender_takes_down();
    if (rank_ == kSender) step();
  }
  void call() {
    build();
    match();
    take_down();
  }
  void fill(std::uint64_t seed) {
    const std::uint64_t decoy_seed = content_word(seed, 1);
    if (rank_ == kSender) {
      matches_.fill(seed, kSender);
      decoys_.fill(decoy_seed, kSender);
    } else {
      matches_.clear(seed);
      decoys_.clear(decoy_seed);
    }
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    if (rank_ != kReceiver) return 0;
    return matches_.wrong_bytes(seed, kSender) +
           decoys_.wrong_bytes(content_word(seed, 1), kSender);
  }

 protected:
  virtual void receiver_builds() = 0;
  virtual void sender_builds() = 0;
  virtual void receiver_matches() = 0;
  virtual void sender_matches() = 0;
  virtual void receiver_takes_down() = 0;
  virtual void sender_takes_down() = 0;

  // Calls them in the order in which they are to stand in the queue.
  template <typename Matches, typename Decoys>
  void in_order(Matches matches, Decoys decoys) {
    if (decoys_first_) decoys();
    matches();
    if (!decoys_first_) decoys();
  }
  void start_sending(Messages& messages, int first_tag, int step,
                     std::vector<MPI_Request>& requests) {
    for (int i = 0; i < messages.count(); ++i) {
      MPI_REQUIRE(MPI_Isend(messages.at(i), messages.bytes(), MPI_BYTE, kReceiver,
                            first_tag + i * step, communicator_,
                            &requests[static_cast<std::size_t>(i)]));
    }
  }
  void post(Messages& messages, int first_tag, int step, std::vector<MPI_Request>& requests) {
    for (int i = 0; i < messages.count(); ++i) {
      MPI_REQUIRE(MPI_Irecv(messages.at(i), messages.bytes(), MPI_BYTE, source_,
                            first_tag + i * step, communicator_,
                            &requests[static_cast<std::size_t>(i)]));
    }
  }
  static void complete(std::vector<MPI_Request>& requests) {
    MPI_REQUIRE(
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }
  void say(Tag what, int to) {
    MPI_REQUIRE(MPI_Send(nullptr, 0, MPI_BYTE, to, what, communicator_));
  }
  void hear(Tag what, int from) {
    MPI_REQUIRE(MPI_Recv(nullptr, 0, MPI_BYTE, from, what, communicator_, MPI_STATUS_IGNORE));
  }

  int rank_;
  bool decoys_first_;
  int source_;
  Messages matches_;
  Messages decoys_;
  std::vector<MPI_Request> match_requests_;
  std::vector<MPI_Request> decoy_requests_;
  MPI_Comm communicator_ = benchmark_communicator();

 private:
  void step() {
    matches_.step();
    decoys_.step();
  }
};

// Receives wait; each message that comes has to find its own.
class PostedQueue : public Queue {
 public:
  using Queue::Queue;

 private:
  void receiver_builds() override {
    in_order([this] { post(matches_, kMatch, 0, match_requests_); },
             [this] { post(decoys_, kFirstDecoy, 1, decoy_requests_); });
  }
  void sender_builds() override {}
  void receiver_matches() override {
    for (MPI_Request& request : match_requests_) {
      say(kReady, kSender);
      MPI_REQUIRE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
  }
  void sender_matches() override {
    for (int i = 0; i < kMatches; ++i) {
      hear(kReady, kReceiver);
      MPI_REQUIRE(
          MPI_Send(matches_.at(i), matches_.bytes(), MPI_BYTE, kReceiver, kMatch, communicator_));
    }
  }
  void receiver_takes_down() override {
    say(kReady, kSender);
    complete(decoy_requests_);
  }
  void sender_takes_down() override {
    hear(kReady, kReceiver);
    start_sending(decoys_, kFirstDecoy, 1, decoy_requests_);
    complete(decoy_requests_);
  }
};

// Messages wait; each receive that is posted has to find its own. All of them have come when the
// one sent behind them has.
class UnexpectedQueue : public Queue {
 public:
  using Queue::Queue;

 private:
  void receiver_builds() override {
    say(kReady, kSender);
    hear(kSent, kSender);
  }
  void sender_builds() override {
    hear(kReady, kReceiver);
    in_order([this] { start_sending(matches_, kMatch, 0, match_requests_); },
             [this] { start_sending(decoys_, kFirstDecoy, 1, decoy_requests_); });
    say(kSent, kReceiver);
  }
  void receiver_matches() override {
    for (int i = 0; i < kMatches; ++i) {
      MPI_REQUIRE(MPI_Recv(matches_.at(i), matches_.bytes(), MPI_BYTE, source_, kMatch,
                           communicator_, MPI_STATUS_IGNORE));
    }
  }
  void sender_matches() override { complete(match_requests_); }
  void receiver_takes_down() override {
    post(decoys_, kFirstDecoy, 1, decoy_requests_);
    complete(decoy_requests_);
  }
  void sender_takes_down() override { complete(decoy_requests_); }
};

Operation prepare(const Point& point) {
  require_real("a search through a queue takes no time");
  const int rank = point.world().rank();
  std::shared_ptr<Queue> queue;
  if (point.choice("queue") == "posted") {
    queue = std::make_shared<PostedQueue>(point);
  } else {
    queue = std::make_shared<UnexpectedQueue>(point);
  }
  Operation operation = operation_of(queue);
  operation.call = [queue] { queue->build(); };
  operation.series = kNotTimed;
  operation.then = {{[queue] { queue->match(); }, rank == kReceiver ? 0 : kNotTimed},
                    {[queue] { queue->take_down(); }, kNotTimed}};
  operation.every_call = true;
  operation.peer = 1 - rank;
  operation.operations_per_call = kMatches;
  operation.bytes = point.bytes();
  return operation;
}

Axis depth_axis() {
  Axis axis{"depth", AxisKind::kInteger, "other receives or messages that wait in the queue",
            "0,1:1K:x4"};
  axis.maximum = kMostDecoys;
  axis.quick_values = "0,1K";
  return axis;
}

Axis queue_axis() {
  Axis axis = task_axis("queue",
                        "posted: receives wait, and a message that comes has to find its own; "
                        "unexpected: messages wait, and a receive has to find its own",
                        {"posted", "unexpected"});
  axis.default_values = "posted,unexpected";
  return axis;
}

Axis size_axis() {
  Axis axis = bytes_axis("8");
  axis.quick_values = "8";
  return axis;
}

const Registration matching{{
    .name = "mpi/matching",
    .title = "Message matching",
    .summary = "time of a match against the depth of the queue in which it is looked for",
    .axes = {size_axis(), depth_axis(), queue_axis(),
             task_axis("source", "whether receives name rank 1 or say MPI_ANY_SOURCE",
                       {"known", "any"}),
             task_axis("position", "where in the queue the match is", {"last", "first"})},
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"match",
                "posted: from before rank 0 asks for a message with an empty one to after MPI_Wait "
                "for its receive; unexpected: one MPI_Recv of a message that has come. The mean of "
                "64 in a row; rank 0 stops the clock"}},
    .prepare = prepare,
    .starts = {Start::kBackToBack},
    .headlines = {{Headline::Of::kTime, "Match in an empty queue"}},
}};

}  // namespace
}  // namespace leadline::probe
