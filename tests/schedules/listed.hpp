// Schedules for tests.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "schedules/collectives/collective.hpp"
#include "schedules/recorder/recorder.hpp"
#include "schedules/replay/replay.hpp"

namespace leadline::replay {

inline Schedule listed(const std::string& benchmark, const std::string& algorithm, int size,
                       std::size_t bytes, int root = 0) {
  const auto collectives = Listed::collectives();
  const Given given(bytes, root, size);
  return record_all(size, 1U << 24U,
                    [&](int) { collectives.at(benchmark).call(algorithm, given); });
}

// One process a node.
inline Machine machine(int ranks, int per_node = 1) {
  Machine made;
  for (int rank = 0; rank < ranks; ++rank) made.node_of.push_back(rank / per_node);
  return made;
}

// Powers of two, so that sums are exact: o = 1, L = 8, G = 1/64, all in seconds.
inline constexpr double kOverhead = 1.0;
inline constexpr double kLatency = 8.0;
inline constexpr double kPerByte = 1.0 / 64;

inline Machine simple_machine(int ranks, int per_node = 1) {
  Machine made = machine(ranks, per_node);
  made.between.send = made.between.receive = Curve({{0, kOverhead, 0.0}});
  made.between.wire = Curve({{0, kLatency, kPerByte}});
  made.within.send = made.within.receive = Curve({{0, kOverhead, 0.0}});
  made.within.wire = Curve({{0, kLatency / 4, kPerByte / 4}});
  return made;
}

// Nodes in a row, a link of 64 bytes/s to each next one and one back, so that n bytes take n / 64
// s.
inline Routes row(std::uint32_t nodes) {
  Routes made;
  made.vertices = nodes;
  for (std::uint32_t link = 0; link < 2 * (nodes - 1); ++link) {
    made.to.push_back(link % 2 == 0 ? link / 2 + 1 : link / 2);
    made.share.push_back(link);
    made.capacity.push_back(1 / kPerByte);
  }
  for (std::uint32_t target = 0; target < nodes; ++target) {
    for (std::uint32_t at = 0; at < nodes; ++at) {
      made.next.push_back(at < target ? 2 * at : 2 * at - 1);
    }
  }
  return made;
}

}  // namespace leadline::replay
