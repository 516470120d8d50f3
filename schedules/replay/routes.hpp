// The ways of messages through a network, as its switches know them: for each node that a message
// may go to, the link that leads on from here.
#pragma once

#include <cstdint>
#include <vector>

namespace leadline::replay {

inline constexpr std::uint32_t kNoLink = UINT32_MAX;

// Nodes are the first of the vertices. A link leads one way only; without any, nothing is known.
struct Routes {
  std::size_t vertices = 0;
  std::vector<std::uint32_t> to;     // the vertex at the end of each link
  std::vector<std::uint32_t> share;  // what each link is part of: several may share a medium
  std::vector<double> capacity;      // bytes/s of each share
  std::vector<std::uint32_t> next;   // rows of all vertices, one for each node to go to
  // Bytes/s that a node sends to the network, and that it receives; 0 where its links alone limit
  // it.
  double port = 0.0;

  bool known() const { return !to.empty(); }

  // The links from node to node, into `links`.
  void follow(std::uint32_t from, std::uint32_t target, std::vector<std::uint32_t>& links) const {
    links.clear();
    const std::uint32_t* row = next.data() + target * vertices;
    while (from != target) {
      links.push_back(row[from]);
      from = to[row[from]];
    }
  }
};

}  // namespace leadline::replay
