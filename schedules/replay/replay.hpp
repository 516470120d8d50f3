// The time of a schedule on a machine, event by event.
//
// A message of n bytes that meets no other one takes o + L + n G + o, with an L for each link of
// its way. What it may have to share is one of two things:
//  - `Ports`, as in LogGP: the node's port to the network, and nothing inside of it;
//  - with `Machine::contention`, `Flows`: every link of its way, together with all that is under
//  way.
// Within a node messages share nothing.
//
// Messages are matched by source, tag and order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/replay/machine.hpp"
#include "schedules/replay/noise.hpp"
#include "schedules/schedule.hpp"

namespace leadline::replay {

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
  std::vector<double> carried;  // bytes over each link, where the ways are known
};

// All ranks start at 0 and make `calls` calls one after the other. Throws Refused where ranks wait
// for each other for ever, or a message has no receive, or is longer than its room. `tick` is
// called now and then with the number of messages so far.
Outcome replay(
    const Schedule& schedule, const Machine& machine, std::uint32_t calls = 1,
    const Noise& noise = {}, const std::function<void(std::uint64_t)>& tick = [](std::uint64_t) {});

}  // namespace leadline::replay
