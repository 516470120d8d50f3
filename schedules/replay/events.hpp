// What happens to messages next, in the order of time; what happens at once, in the order of
// asking.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

namespace leadline::replay {

enum class Action : std::uint8_t { kLeave, kFlow, kReach, kArrive };

struct Event {
  double at_s;
  std::uint64_t order;  // among those of the same time
  std::uint32_t message;
  Action action;

  bool operator>(const Event& other) const {
    return at_s != other.at_s ? at_s > other.at_s : order > other.order;
  }
};

class Events {
 public:
  void add(double at_s, Action action, std::uint32_t message) {
    waiting_.push({at_s, order_++, message, action});
  }

  // Of the next one; infinity where there is none.
  double next_s() const {
    return waiting_.empty() ? std::numeric_limits<double>::infinity() : waiting_.top().at_s;
  }

  Event take() {
    const Event event = waiting_.top();
    waiting_.pop();
    return event;
  }

 private:
  std::priority_queue<Event, std::vector<Event>, std::greater<>> waiting_;
  std::uint64_t order_ = 0;
};

}  // namespace leadline::replay
