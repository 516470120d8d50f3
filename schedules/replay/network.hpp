// Messages between nodes: over how many links, what each link carries, and what they get of those
// that they share.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "schedules/replay/flows.hpp"
#include "schedules/replay/machine.hpp"

namespace leadline::replay {

class Network {
 public:
  Network(const Machine& machine, std::size_t nodes)
      : machine_(machine), flows_(limits(machine, nodes)), carried_(machine.routes.to.size()) {}

  // Counts a message from node to node, and returns how often it takes the latency of a link.
  double cross(std::int32_t from, std::int32_t to, double bytes) {
    if (!machine_.routes.known()) return machine_.links;
    follow(from, to);
    for (const std::uint32_t link : way_) carried_[link] += bytes;
    return machine_.links + static_cast<double>(way_.size());
  }

  bool shares() const { return machine_.contention && machine_.routes.known(); }

  // From `now_s` on the message flows, at most at that rate.
  void start(std::int32_t from, std::int32_t to, double now_s, std::uint32_t id, double bytes,
             double most) {
    follow(from, to);
    limit(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
    flows_.start(now_s, id, way_, bytes, most);
  }
  double next_s() const { return flows_.next_s(); }
  void advance(const std::function<void(std::uint32_t id, double at_s)>& done) {
    flows_.advance(done);
  }

  const std::vector<double>& carried() const { return carried_; }

 private:
  // The shares of links, then the ports of the nodes: out and in.
  static std::vector<double> limits(const Machine& machine, std::size_t nodes) {
    std::vector<double> found = machine.routes.capacity;
    if (machine.routes.port > 0) found.resize(found.size() + 2 * nodes, machine.routes.port);
    return found;
  }

  void follow(std::int32_t from, std::int32_t to) {
    machine_.routes.follow(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), way_);
  }

  // Turns the links of the way into what limits the message, each once.
  void limit(std::uint32_t from, std::uint32_t to) {
    std::size_t kept = 0;
    for (const std::uint32_t link : way_) {
      const std::uint32_t share = machine_.routes.share[link];
      if (kept == 0 || way_[kept - 1] != share) way_[kept++] = share;
    }
    way_.resize(kept);
    if (machine_.routes.port == 0) return;
    const auto ports = static_cast<std::uint32_t>(machine_.routes.capacity.size());
    way_.push_back(ports + 2 * from);
    way_.push_back(ports + 2 * to + 1);
  }

  const Machine& machine_;
  Flows flows_;
  std::vector<double> carried_;
  std::vector<std::uint32_t> way_;
};

}  // namespace leadline::replay
