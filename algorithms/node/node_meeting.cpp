// The barrier in two halves, and whether ranks read one clock. Not in groups: who meets other nodes
// in between waits longer for them.
#include <algorithm>
#include <array>

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

// Who came to a meeting came before anyone left.
bool read_one_clock(Node& node) {
  constexpr std::size_t kMeetings = 3;
  struct Stamps {
    std::array<Pace::Ticks, kMeetings> came, left;
  };
  Stamps mine{};
  for (std::size_t i = 0; i < kMeetings; ++i) {
    mine.came[i] = Pace::now();
    barrier(node);
    mine.left[i] = Pace::now();
  }
  static_assert(sizeof mine <= Line::kBytes);
  const Step step = node.begin();
  node.write_cell(step, &mine, sizeof mine);
  Stamps all = mine;
  for (int rank = 0; rank < node.size(); ++rank) {
    if (rank == node.rank()) continue;
    Stamps theirs{};
    node.read_cell(rank, step, &theirs, sizeof theirs);
    for (std::size_t i = 0; i < kMeetings; ++i) {
      all.came[i] = std::max(all.came[i], theirs.came[i]);
      all.left[i] = std::min(all.left[i], theirs.left[i]);
    }
  }
  node.all_finished(step - 1);
  bool one = true;
  for (std::size_t i = 0; i < kMeetings; ++i) one = one && all.came[i] <= all.left[i];
  return one;
}

}  // namespace leadline::node
