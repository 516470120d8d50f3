// How PEs learn that the others are there too, and where their objects lie.
#pragma once

#include <cstddef>
#include <cstring>

#include "runtime/shmem/group.hpp"

namespace leadline::runtime {

// What one PE hands to the others, in one cell.
template <typename Value, typename Visit>
void exchange_values(Group& group, const Value& own, const Visit& visit) {
  static_assert(sizeof(Value) <= node::Line::kBytes);
  node::Node& node = group.node();
  const node::Step step = node.begin();
  node.write_cell(step, &own, sizeof own);
  for (int rank = 0; rank < group.size(); ++rank) {
    Value value = own;
    if (rank != group.rank()) node.read_cell(rank, step, &value, sizeof value);
    visit(rank, value);
  }
  node.all_finished(step - 1);
}

struct Places {
  Group::Offset in;
  Group::Offset out;
};

// Waits until all PEs have come. Whether they all reach one another's objects, which lie at the
// same places: all come to the same answer.
inline bool meet(Group& group, const Places& places) {
  bool same = places.in != Group::kElsewhere && places.out != Group::kElsewhere;
  exchange_values(group, places, [&](int, const Places& other) {
    same = same && other.in == places.in && other.out == places.out;
  });
  return same;
}

}  // namespace leadline::runtime
