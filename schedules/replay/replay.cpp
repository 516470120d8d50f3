#include "schedules/replay/replay.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <string>
#include <utility>

namespace leadline {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNone = UINT32_MAX;

// Uniform in [0, 1), the same for the same four numbers (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014: the mixing function of SplitMix64).
double uniform(std::uint64_t seed, std::uint64_t rank, std::uint64_t call) {
  const auto mixed = [](std::uint64_t word) {
    word += 0x9e3779b97f4a7c15U;
    word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
    return word ^ (word >> 31U);
  };
  return static_cast<double>(mixed(mixed(mixed(seed) ^ rank) ^ call) >> 11U) * 0x1p-53;
}

// A message, from the moment that either its sender or its receiver knows of it.
struct Message {
  std::int32_t source;
  std::int32_t destination;
  std::uint32_t bytes = 0;
  std::uint16_t tag;
  bool sent = false;      // the sender has come to it
  bool expected = false;  // the receiver has come to it
  bool send_blocks = false;
  bool receive_blocks = false;
  bool rendezvous = false;
  std::uint32_t room = 0;
  std::uint32_t depth = 0;
  double ready_s = 0.0;   // the sender has done its part
  double posted_s = 0.0;  // the receiver has said where it may go
  double arrived_s = kNever;
};

enum class Action : std::uint8_t { kLeave, kReach, kArrive };

struct Event {
  double at_s;
  std::uint64_t order;  // among those of the same time
  std::uint32_t message;
  Action action;

  bool operator>(const Event& other) const {
    return at_s != other.at_s ? at_s > other.at_s : order > other.order;
  }
};

struct Rank {
  double now_s = 0.0;
  double began_s = 0.0;
  std::uint32_t step = 0;
  std::uint32_t repeated = 0;  // of that step
  std::uint32_t call = 0;
  std::uint32_t depth = 0;
  std::uint32_t blocking = 0;   // messages that the step waits for
  std::uint32_t started = 0;    // other messages that are not done
  std::uint32_t due_depth = 0;  // of those of `started` that are done
  bool waits_for_all = false;
  bool done = false;
  std::uint64_t sent = 0;
  // Known to one side only, in the order in which they became known.
  std::vector<std::uint32_t> unexpected;
  std::vector<std::uint32_t> expected;
  // Arrived for non-blocking receives before the wait: when, and how long.
  std::vector<std::pair<double, double>> due;
};

class Replay {
 public:
  Replay(const Schedule& schedule, const Machine& machine, std::uint32_t calls, const Noise& noise,
         const std::function<void(std::uint64_t)>& tick)
      : schedule_(schedule), machine_(machine), calls_(calls), noise_(noise), tick_(tick) {
    ranks_.resize(schedule.size());
    std::int32_t nodes = 0;
    for (const std::int32_t node : machine.node_of) nodes = std::max(nodes, node + 1);
    out_free_.resize(static_cast<std::size_t>(nodes));
    in_free_.resize(static_cast<std::size_t>(nodes));
    outcome_.slowest_s.resize(calls);
    outcome_.sum_s.resize(calls);
  }

  Outcome run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      begin_call(static_cast<std::int32_t>(rank));
      advance(static_cast<std::int32_t>(rank));
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
    check_ended();
    for (const Rank& rank : ranks_) {
      outcome_.seconds = std::max(outcome_.seconds, rank.now_s);
      outcome_.steps = std::max(outcome_.steps, rank.depth);
      outcome_.most_sent = std::max(outcome_.most_sent, rank.sent);
    }
    return std::move(outcome_);
  }

 private:
  Rank& of(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  std::int32_t node_of(std::int32_t rank) const {
    return machine_.node_of[static_cast<std::size_t>(rank)];
  }
  const Way& way(const Message& message) const {
    return node_of(message.source) == node_of(message.destination) ? machine_.within
                                                                   : machine_.between;
  }
  void at(double when_s, Action action, std::uint32_t message) {
    events_.push({when_s, order_++, message, action});
  }

  void begin_call(std::int32_t number) {
    Rank& rank = of(number);
    rank.began_s = rank.now_s;
    rank.step = 0;
    rank.repeated = 0;
    if (noise_.probability > 0 &&
        uniform(noise_.seed, static_cast<std::uint64_t>(number), rank.call) < noise_.probability) {
      rank.now_s += noise_.delay_s;
    }
  }

  void end_call(std::int32_t number) {
    Rank& rank = of(number);
    const double seconds = rank.now_s - rank.began_s;
    double& slowest = outcome_.slowest_s[rank.call];
    slowest = std::max(slowest, seconds);
    outcome_.sum_s[rank.call] += seconds;
    ++rank.call;
    if (rank.call == calls_) {
      rank.done = true;
    } else {
      begin_call(number);
    }
  }

  // Goes on until the rank has to wait.
  void advance(std::int32_t number) {
    Rank& rank = of(number);
    const Program& steps = schedule_[static_cast<std::size_t>(number)];
    while (!rank.done) {
      if (rank.step == steps.size()) {
        end_call(number);
        continue;
      }
      const Step& step = steps[rank.step];
      if (!begin(number, step)) return;
      finish(number, step);
    }
  }

  // Whether the rank need not wait.
  bool begin(std::int32_t number, const Step& step) {
    Rank& rank = of(number);
    if (step.kind == Step::Kind::kWait) {
      rank.waits_for_all = true;
      take_due(rank);
      return rank.started == 0;
    }
    const bool blocks = step.kind == Step::Kind::kBlock;
    std::uint32_t& pending = blocks ? rank.blocking : rank.started;
    // What can be done at once is counted and counted off again.
    pending += (step.from != kNoRank ? 1 : 0) + (step.to != kNoRank ? 1 : 0);
    const double posted_s = rank.now_s;
    if (step.to != kNoRank) send(number, step, blocks);
    if (step.from != kNoRank) expect(number, step, blocks, posted_s);
    return !blocks || rank.blocking == 0;
  }

  void finish(std::int32_t number, const Step& step) {
    Rank& rank = of(number);
    if (step.kind == Step::Kind::kWait) {
      rank.waits_for_all = false;
      rank.depth = std::max(rank.depth, rank.due_depth);
      rank.due_depth = 0;
    }
    rank.now_s += static_cast<double>(step.reduced) * machine_.reduce_s_per_byte +
                  static_cast<double>(step.copied) * machine_.copy_s_per_byte;
    if (++rank.repeated == step.times) {
      rank.repeated = 0;
      ++rank.step;
    }
  }

  void go_on_if_free(std::int32_t number) {
    Rank& rank = of(number);
    if (rank.blocking > 0 || (rank.waits_for_all && rank.started > 0)) return;
    const Step& step = schedule_[static_cast<std::size_t>(number)][rank.step];
    finish(number, step);
    advance(number);
  }

  // Of the messages that `list` has, the first that fits, taken out; kNone.
  template <typename Fits>
  static std::uint32_t take(std::vector<std::uint32_t>& list, const Fits& fits) {
    const auto found = std::find_if(list.begin(), list.end(), fits);
    if (found == list.end()) return kNone;
    const std::uint32_t message = *found;
    list.erase(found);
    return message;
  }

  std::uint32_t fresh(const Message& message) {
    if (free_.empty()) {
      messages_.push_back(message);
      return static_cast<std::uint32_t>(messages_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    messages_[index] = message;
    return index;
  }

  void send(std::int32_t number, const Step& step, bool blocks) {
    Rank& rank = of(number);
    Rank& receiver = of(step.to);
    std::uint32_t index = take(receiver.expected, [&](std::uint32_t one) {
      return messages_[one].source == number && messages_[one].tag == step.out_tag;
    });
    if (index == kNone) {
      index = fresh({.source = number, .destination = step.to, .tag = step.out_tag});
      receiver.unexpected.push_back(index);
    }
    Message& message = messages_[index];
    message.sent = true;
    message.bytes = step.out_bytes;
    message.depth = rank.depth + 1;
    message.send_blocks = blocks;
    message.rendezvous = message.bytes >= machine_.rendezvous_bytes;
    rank.now_s += way(message).send(message.bytes);
    message.ready_s = rank.now_s;
    count(rank, message);
    check_room(message);
    if (!message.rendezvous) {
      --(blocks ? rank.blocking : rank.started);
      at(message.ready_s, Action::kLeave, index);
    } else if (message.expected) {
      at(begin_of_rendezvous(message), Action::kLeave, index);
    }
  }

  // A message both ways is expected from the beginning, also while the one out is being sent.
  void expect(std::int32_t number, const Step& step, bool blocks, double posted_s) {
    Rank& rank = of(number);
    std::uint32_t index = take(rank.unexpected, [&](std::uint32_t one) {
      return messages_[one].source == step.from && messages_[one].tag == step.in_tag;
    });
    if (index == kNone) {
      index = fresh({.source = step.from, .destination = number, .tag = step.in_tag});
      rank.expected.push_back(index);
    }
    Message& message = messages_[index];
    message.expected = true;
    message.room = step.in_bytes;
    message.posted_s = posted_s;
    message.receive_blocks = blocks;
    if (!message.sent) return;
    check_room(message);
    if (message.arrived_s != kNever) {
      receive(index);
    } else if (message.rendezvous) {
      at(begin_of_rendezvous(message), Action::kLeave, index);
    }
  }

  double begin_of_rendezvous(const Message& message) const {
    return std::max(message.ready_s, message.posted_s) + machine_.handshake_s;
  }

  void count(Rank& rank, const Message& message) {
    ++rank.sent;
    ++outcome_.messages;
    outcome_.bytes += message.bytes;
    if (&way(message) == &machine_.between) {
      ++outcome_.network_messages;
      outcome_.network_bytes += message.bytes;
    }
    if ((outcome_.messages & 0xfffffU) == 0) tick_(outcome_.messages);
  }

  static void check_room(const Message& message) {
    if (!message.sent || !message.expected || message.bytes <= message.room) return;
    throw Refused("rank " + std::to_string(message.source) + " sends " +
                  std::to_string(message.bytes) + " bytes to rank " +
                  std::to_string(message.destination) + ", which has room for " +
                  std::to_string(message.room));
  }

  void handle(const Event& event) {
    Message& message = messages_[event.message];
    const Way& path = way(message);
    const Piece& wire = path.wire.at(message.bytes);
    const double transfer = static_cast<double>(message.bytes) * wire.seconds_per_byte;
    const double busy = std::max(machine_.gap_s, machine_.port_fraction * transfer);
    const std::int32_t from = node_of(message.source);
    const std::int32_t to = node_of(message.destination);
    switch (event.action) {
      case Action::kLeave: {
        if (from == to) {
          at(event.at_s + wire.seconds + transfer, Action::kArrive, event.message);
          sent(message, event.at_s + transfer);
          return;
        }
        double& free = out_free_[static_cast<std::size_t>(machine_.one_medium ? 0 : from)];
        const double start = std::max(event.at_s, free);
        free = start + busy;
        at(start + wire.seconds * machine_.links_between(from, to), Action::kReach, event.message);
        sent(message, start + transfer);
        return;
      }
      case Action::kReach: {
        double& free = in_free_[static_cast<std::size_t>(to)];
        const double start = machine_.one_medium ? event.at_s : std::max(event.at_s, free);
        free = start + busy;
        at(start + transfer, Action::kArrive, event.message);
        return;
      }
      case Action::kArrive:
        message.arrived_s = event.at_s;
        if (!message.expected) return;
        const std::int32_t receiver = message.destination;
        receive(event.message);
        go_on_if_free(receiver);
        return;
    }
  }

  // The data of a rendezvous have left the sender.
  void sent(const Message& message, double when_s) {
    if (!message.rendezvous) return;
    Rank& rank = of(message.source);
    if (message.send_blocks) {
      --rank.blocking;
    } else {
      --rank.started;
    }
    if (message.send_blocks || rank.waits_for_all) {
      rank.now_s = std::max(rank.now_s, when_s);
    } else {
      rank.due.emplace_back(when_s, 0.0);
    }
    if (message.send_blocks || rank.waits_for_all) go_on_if_free(message.source);
  }

  // The message is there, and the receiver has come to it.
  void receive(std::uint32_t index) {
    const Message& message = messages_[index];
    Rank& rank = of(message.destination);
    const double overhead = way(message).receive(message.bytes);
    if (message.receive_blocks) {
      rank.now_s = std::max(rank.now_s, message.arrived_s) + overhead;
      rank.depth = std::max(rank.depth, message.depth);
      --rank.blocking;
    } else {
      --rank.started;
      rank.due_depth = std::max(rank.due_depth, message.depth);
      if (rank.waits_for_all) {
        rank.now_s = std::max(rank.now_s, message.arrived_s) + overhead;
      } else {
        rank.due.emplace_back(message.arrived_s, overhead);
      }
    }
    free_.push_back(index);
  }

  static void take_due(Rank& rank) {
    std::sort(rank.due.begin(), rank.due.end());
    for (const auto& [when_s, overhead] : rank.due) {
      rank.now_s = std::max(rank.now_s, when_s) + overhead;
    }
    rank.due.clear();
  }

  void check_ended() const {
    for (std::size_t number = 0; number < ranks_.size(); ++number) {
      const Rank& rank = ranks_[number];
      if (!rank.done) {
        std::string reason = "rank " + std::to_string(number) + " waits for ever";
        if (!rank.expected.empty()) {
          const Message& message = messages_[rank.expected.front()];
          reason += ": rank " + std::to_string(message.source) + " sends it nothing with tag " +
                    std::to_string(message.tag);
        }
        throw Refused(reason);
      }
    }
    for (const Rank& rank : ranks_) {
      if (rank.unexpected.empty()) continue;
      const Message& message = messages_[rank.unexpected.front()];
      throw Refused("rank " + std::to_string(message.source) + " sends to rank " +
                    std::to_string(message.destination) + ", which never receives it");
    }
  }

  const Schedule& schedule_;
  const Machine& machine_;
  const std::uint32_t calls_;
  const Noise noise_;
  const std::function<void(std::uint64_t)>& tick_;
  std::vector<Rank> ranks_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
  std::vector<double> out_free_;
  std::vector<double> in_free_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome replay(const Schedule& schedule, const Machine& machine, std::uint32_t calls,
               const Noise& noise, const std::function<void(std::uint64_t)>& tick) {
  if (schedule.size() != machine.node_of.size()) {
    throw std::logic_error("each rank needs a node");
  }
  return Replay(schedule, machine, calls, noise, tick).run();
}

}  // namespace leadline
