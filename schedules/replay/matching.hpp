// Messages, and which send belongs to which receive: by source, tag and order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace leadline::replay {

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
  double arrived_s = std::numeric_limits<double>::infinity();
};

class Matching {
 public:
  explicit Matching(std::size_t ranks) : sides_(ranks) {}

  Message& operator[](std::uint32_t index) { return messages_[index]; }
  const Message& operator[](std::uint32_t index) const { return messages_[index]; }

  // The message that one side has come to: the first that the other one waits for, or a new one.
  std::uint32_t sent(std::int32_t source, std::int32_t destination, std::uint16_t tag) {
    Side& side = sides_[static_cast<std::size_t>(destination)];
    return match(side.expected, side.unexpected, source, destination, tag);
  }
  std::uint32_t expected(std::int32_t source, std::int32_t destination, std::uint16_t tag) {
    Side& side = sides_[static_cast<std::size_t>(destination)];
    return match(side.unexpected, side.expected, source, destination, tag);
  }

  // Both sides have done with it.
  void forget(std::uint32_t index) { free_.push_back(index); }

  // What a rank waits for, and what nobody has asked it for: the first each, or nullptr.
  const Message* awaited(std::size_t rank) const { return first(sides_[rank].expected); }
  const Message* unasked(std::size_t rank) const { return first(sides_[rank].unexpected); }

 private:
  // Known to one side only, in the order in which they became known.
  struct Side {
    std::vector<std::uint32_t> unexpected;
    std::vector<std::uint32_t> expected;
  };

  std::uint32_t match(std::vector<std::uint32_t>& there, std::vector<std::uint32_t>& otherwise,
                      std::int32_t source, std::int32_t destination, std::uint16_t tag) {
    const auto found = std::find_if(there.begin(), there.end(), [&](std::uint32_t one) {
      return messages_[one].source == source && messages_[one].tag == tag;
    });
    if (found != there.end()) {
      const std::uint32_t index = *found;
      there.erase(found);
      return index;
    }
    const std::uint32_t index = fresh({.source = source, .destination = destination, .tag = tag});
    otherwise.push_back(index);
    return index;
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

  const Message* first(const std::vector<std::uint32_t>& list) const {
    return list.empty() ? nullptr : &messages_[list.front()];
  }

  std::vector<Side> sides_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
};

}  // namespace leadline::replay
