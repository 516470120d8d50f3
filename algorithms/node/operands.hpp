// Small operands, which ranks read from one another's cells and reduce in the order of the ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "algorithms/node/node.hpp"
#include "algorithms/node/reducer.hpp"
#include "algorithms/node/settings.hpp"

namespace leadline::node {

// Ranks of a group, when all are too many to read from.
inline constexpr int kGroup = 8;

inline bool is_flat(const Node& node) { return node.size() <= settings().flat_ranks; }

struct Group {
  int first;
  int last;
};

inline Group group_of(const Node& node) {
  const int first = node.rank() / kGroup * kGroup;
  return {.first = first, .last = std::min(first + kGroup, node.size()) - 1};
}

inline const void* read_operand(Node& node, int rank, Step step, void* room, std::size_t bytes,
                                Node::Kind kind = Node::Kind::kOwn) {
  if (bytes <= Line::kBytes) return node.read_line(rank, step, kind);
  node.read_cell(rank, step, room, bytes, kind);
  return room;
}

// The operand of each rank from `first` to `last` is what `operand(rank, room)` returns, which may
// use the room. `in` may be `out`, which is written last.
template <typename Operand>
void fold(Reducer& reducer, int first, int last, int stride, std::size_t bytes, void* out,
          const Operand& operand) {
  alignas(64) std::byte partial[Cell::kBytes];
  alignas(64) std::byte room[2][Cell::kBytes];
  const void* result = operand(first, room[0]);
  for (int rank = first + stride; rank <= last; rank += stride) {
    const void* right = operand(rank, room[1]);
    void* to = rank + stride > last ? out : partial;
    reducer.combine(result, right, to, bytes);
    result = partial;
  }
  if (first + stride > last && result != out) std::memcpy(out, result, bytes);
}

}  // namespace leadline::node
