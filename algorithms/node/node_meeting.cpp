// The barrier in two halves, and a vote. Not in groups: who meets other nodes in between waits
// longer for them.
#include "algorithms/node/node_collectives.hpp"

namespace leadline::node {

void node_arrive(Node& node) {
  const Step step = node.begin();
  if (node.rank() == 0) {
    for (int rank = 1; rank < node.size(); ++rank) node.read_cell(rank, step, nullptr, 0);
  } else {
    node.write_cell(step, nullptr, 0);
  }
  node.done();
}

void node_leave(Node& node) {
  if (node.rank() == 0) {
    node.write_cell(node.begin(), nullptr, 0);
  } else {
    node.read_cell(0, node.join(), nullptr, 0);
  }
  node.done();
}

bool all_agree(Node& node, bool this_one) {
  const Step step = node.begin();
  const std::byte mine{this_one ? std::uint8_t{1} : std::uint8_t{0}};
  node.write_cell(step, &mine, sizeof mine);
  bool all = this_one;
  for (int rank = 0; rank < node.size(); ++rank) {
    if (rank != node.rank()) all = *node.read_line(rank, step) == std::byte{1} && all;
  }
  node.all_finished(step - 1);
  return all;
}

}  // namespace leadline::node
