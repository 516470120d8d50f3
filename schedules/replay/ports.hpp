// The ports of LogGP: a node has one to the network in each direction, which its processes share.
// The messages that leave it, and those that reach it, take max(g, n G) of it one after the other,
// in the order in which they come to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/replay/machine.hpp"

namespace leadline::replay {

class Ports {
 public:
  Ports(const Machine& machine, std::size_t nodes)
      : machine_(machine), out_free_(nodes), in_free_(nodes) {}

  // When a message that is there at `at_s` begins to leave the node.
  double leave(std::int32_t node, double at_s, double transfer_s) {
    double& free = out_free_[static_cast<std::size_t>(machine_.one_medium ? 0 : node)];
    return take(free, at_s, transfer_s);
  }
  // When one that has reached a node at `at_s` begins to come in.
  double reach(std::int32_t node, double at_s, double transfer_s) {
    if (machine_.one_medium) return at_s;
    return take(in_free_[static_cast<std::size_t>(node)], at_s, transfer_s);
  }

 private:
  double take(double& free, double at_s, double transfer_s) const {
    const double start = std::max(at_s, free);
    free = start + std::max(machine_.gap_s, machine_.port_fraction * transfer_s);
    return start;
  }

  const Machine& machine_;
  std::vector<double> out_free_;
  std::vector<double> in_free_;
};

}  // namespace leadline::replay
