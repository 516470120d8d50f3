#include "schedules/replay/replay.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "schedules/replay/events.hpp"
#include "schedules/replay/matching.hpp"
#include "schedules/replay/network.hpp"
#include "schedules/replay/ports.hpp"

namespace leadline::replay {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

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
  // Arrived for non-blocking receives before the wait: when, and how long.
  std::vector<std::pair<double, double>> due;
};

std::size_t nodes_of(const Machine& machine) {
  std::int32_t nodes = 0;
  for (const std::int32_t node : machine.node_of) nodes = std::max(nodes, node + 1);
  return static_cast<std::size_t>(nodes);
}

class Replay {
 public:
  Replay(const Schedule& schedule, const Machine& machine, std::uint32_t calls, const Noise& noise,
         const std::function<void(std::uint64_t)>& tick)
      : schedule_(schedule),
        machine_(machine),
        calls_(calls),
        noise_(noise),
        tick_(tick),
        ranks_(schedule.size()),
        messages_(schedule.size()),
        ports_(machine, nodes_of(machine)),
        network_(machine, nodes_of(machine)) {
    outcome_.slowest_s.resize(calls);
    outcome_.sum_s.resize(calls);
  }

  Outcome run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      begin_call(static_cast<std::int32_t>(rank));
      advance(static_cast<std::int32_t>(rank));
    }
    const auto flowed = [this](std::uint32_t message, double at_s) { this->flowed(message, at_s); };
    for (;;) {
      const double event_s = events_.next_s();
      const double flow_s = network_.next_s();
      if (event_s == kNever && flow_s == kNever) break;
      if (event_s <= flow_s) {
        handle(events_.take());
      } else {
        network_.advance(flowed);
      }
    }
    check_ended();
    outcome_.carried = network_.carried();
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
    events_.add(when_s, action, message);
  }

  void begin_call(std::int32_t number) {
    Rank& rank = of(number);
    rank.began_s = rank.now_s;
    rank.step = 0;
    rank.repeated = 0;
    rank.now_s += delay_of(noise_, static_cast<std::uint64_t>(number), rank.call);
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

  void send(std::int32_t number, const Step& step, bool blocks) {
    Rank& rank = of(number);
    const std::uint32_t index = messages_.sent(number, step.to, step.out_tag);
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
    const std::uint32_t index = messages_.expected(step.from, number, step.in_tag);
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
    switch (event.action) {
      case Action::kLeave:
        leave(event.message, event.at_s);
        return;
      case Action::kFlow: {
        const double transfer = transfer_of(message);
        if (transfer > 0) {
          network_.start(node_of(message.source), node_of(message.destination), event.at_s,
                         event.message, message.bytes, message.bytes / transfer);
        } else {
          flowed(event.message, event.at_s);
        }
        return;
      }
      case Action::kReach: {
        const double transfer = transfer_of(message);
        const double start = ports_.reach(node_of(message.destination), event.at_s, transfer);
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

  double transfer_of(const Message& message) const {
    return static_cast<double>(message.bytes) *
           way(message).wire.at(message.bytes).seconds_per_byte;
  }

  void leave(std::uint32_t index, double now_s) {
    Message& message = messages_[index];
    const double latency = way(message).wire.at(message.bytes).seconds;
    const double transfer = transfer_of(message);
    const std::int32_t from = node_of(message.source);
    const std::int32_t to = node_of(message.destination);
    if (from == to) {
      at(now_s + latency + transfer, Action::kArrive, index);
      sent(message, now_s + transfer);
      return;
    }
    const double links = network_.cross(from, to, message.bytes);
    if (network_.shares()) {
      at(now_s + latency * links, Action::kFlow, index);
      return;
    }
    const double start = ports_.leave(from, now_s, transfer);
    at(start + latency * links, Action::kReach, index);
    sent(message, start + transfer);
  }

  // The last byte of a message that shares links is there, and only then its sender is free.
  void flowed(std::uint32_t index, double now_s) {
    at(now_s, Action::kArrive, index);
    sent(messages_[index], now_s);
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
    messages_.forget(index);
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
        if (const Message* message = messages_.awaited(number)) {
          reason += ": rank " + std::to_string(message->source) + " sends it nothing with tag " +
                    std::to_string(message->tag);
        }
        throw Refused(reason);
      }
    }
    for (std::size_t number = 0; number < ranks_.size(); ++number) {
      const Message* message = messages_.unasked(number);
      if (message == nullptr) continue;
      throw Refused("rank " + std::to_string(message->source) + " sends to rank " +
                    std::to_string(message->destination) + ", which never receives it");
    }
  }

  const Schedule& schedule_;
  const Machine& machine_;
  const std::uint32_t calls_;
  const Noise noise_;
  const std::function<void(std::uint64_t)>& tick_;
  std::vector<Rank> ranks_;
  Matching messages_;
  Ports ports_;
  Network network_;
  Events events_;
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

}  // namespace leadline::replay
