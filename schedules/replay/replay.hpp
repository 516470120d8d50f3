// The time of a schedule on a machine, event by event.
//
// A node has one port to the network in each direction, which its processes share: the messages
// that leave it, and those that reach it, take max(g, n G) of their port one after the other, in
// the order in which they come to it. A message of n bytes that meets no other one takes
// o + L + n G + o. Within a node messages share nothing. Where links inside the network are shared,
// LogGP does not know it.
//
// Messages are matched by source, tag and order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/replay/machine.hpp"
#include "schedules/schedule.hpp"

namespace leadline {

// Delays at the start of a call, independent of each other.
struct Noise {
  double probability = 0.0;
  double delay_s = 0.0;
  std::uint64_t seed = 0;
};

struct Outcome {
  double seconds = 0.0;  // until the last rank has ended
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t network_messages = 0;  // between nodes
  std::uint64_t network_bytes = 0;
  std::uint32_t steps = 0;  // messages of the longest chain in which each waits for the one before
  std::uint64_t most_sent = 0;  // messages of one rank
  // Of each call: the longest time on a rank, and the sum over ranks.
  std::vector<double> slowest_s;
  std::vector<double> sum_s;
};

// All ranks start at 0 and make `calls` calls one after the other. Throws Refused where ranks wait
// for each other for ever, or a message has no receive, or is longer than its room. `tick` is
// called now and then with the number of messages so far.
Outcome replay(
    const Schedule& schedule, const Machine& machine, std::uint32_t calls = 1,
    const Noise& noise = {}, const std::function<void(std::uint64_t)>& tick = [](std::uint64_t) {});

}  // namespace leadline
