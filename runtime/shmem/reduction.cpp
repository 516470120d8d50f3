// Much is reduced where it lies: each PE reads a part of all operands, and writes the result to all
// PEs.
#include <algorithm>

#include "algorithms/copy/copy.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "runtime/shmem/meeting.hpp"
#include "runtime/shmem/movement.hpp"

namespace leadline::runtime {
namespace {

// More than so much is worth a meeting of all PEs.
constexpr std::size_t kMostInSlots = 8 << 10;
// Stays in a core's first cache from the reduction to the last copy.
constexpr std::size_t kBlock = 8 << 10;

// This PE's part of the elements. Operands are taken in the order of the PEs, so the result is the
// same whoever computes it; and in place, nobody else reads what is written.
void reduce_part(Group& group, node::Reducer& reducer, const Places& places, std::size_t begin,
                 std::size_t end) {
  alignas(64) std::byte result[kBlock];
  CopyRoutine::Function* const copy =
      copy_routine_for(2 * (end - begin) * static_cast<std::size_t>(group.size()));
  for (std::size_t at = begin; at < end; at += kBlock) {
    const std::size_t now = std::min(kBlock, end - at);
    const auto offset = static_cast<Group::Offset>(at);
    const void* left = group.at(0, places.in + offset);
    for (int rank = 1; rank < group.size(); ++rank) {
      reducer.combine(left, group.at(rank, places.in + offset), result, now);
      left = result;
    }
    for (int rank = 0; rank < group.size(); ++rank) {
      copy(group.at(rank, places.out + offset), result, now);
    }
  }
}

}  // namespace

void group_allreduce(Group& group, node::Reducer& reducer, const void* in, void* out,
                     std::size_t bytes) {
  node::Node& node = group.node();
  if (bytes <= kMostInSlots) return node::allreduce(node, reducer, in, out, bytes);
  const Places places{.in = group.offset_of(in, bytes), .out = group.offset_of(out, bytes)};
  if (!meet(group, places)) return node::allreduce(node, reducer, in, out, bytes);
  // Whole cache lines, which are whole elements.
  constexpr std::size_t kLine = 64;
  const auto pes = static_cast<std::size_t>(group.size());
  const std::size_t each = (bytes + pes * kLine - 1) / (pes * kLine) * kLine;
  const std::size_t begin = std::min(bytes, each * static_cast<std::size_t>(group.rank()));
  reduce_part(group, reducer, places, begin, std::min(bytes, begin + each));
  node::barrier(node);
}

}  // namespace leadline::runtime
