// The barrier in two halves. Not in groups: who meets other nodes in between waits longer for them.
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

}  // namespace leadline::node
