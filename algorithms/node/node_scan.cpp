// Reductions of which each rank gets the part up to its own operand, or the one before it.
//
// Operands are taken in the order of the ranks, one after the other or in groups. A rank depends on
// those before it alone, so the first ones do not wait unless data are long.
#include <algorithm>
#include <cstring>

#include "algorithms/copy/copy.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node/operands.hpp"
#include "algorithms/node/paced.hpp"
#include "algorithms/node/parts.hpp"

namespace leadline::node {
namespace {

// One step. Of many ranks, each group's first one brings the group's operands together for the
// groups behind it; ranks of the group itself read them from one another.
void scan_in_cells(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes,
                   Prefix prefix) {
  const Step step = node.begin();
  node.write_cell(step, in, bytes);
  const auto own = [&](int rank, void* room) {
    return rank == node.rank() ? in : read_operand(node, rank, step, room, bytes);
  };
  const Group group = is_flat(node) ? Group{.first = 0, .last = node.size() - 1} : group_of(node);
  if (node.rank() == group.first && group.last < node.size() - 1) {
    alignas(64) std::byte of_group[Cell::kBytes];
    fold(reducer, group.first, group.last, 1, bytes, of_group, own);
    node.write_cell(step, of_group, bytes, Node::Kind::kGroup);
  }
  // The groups before this one, then its ranks.
  const int groups = group.first / kGroup;
  const int ranks = node.rank() - group.first + (prefix == Prefix::kInclusive ? 1 : 0);
  if (groups + ranks > 0) {
    fold(reducer, 0, groups + ranks - 1, 1, bytes, out, [&](int i, void* room) {
      if (i >= groups) return own(group.first + i - groups, room);
      return read_operand(node, i * kGroup, step, room, bytes, Node::Kind::kGroup);
    });
  }
  node.done();
}

// Two ranks: the second one computes what the first one writes.
void scan_of_two(Node& node, Reducer& reducer, const std::byte* in, std::byte* out,
                 std::size_t bytes, Prefix prefix) {
  constexpr std::size_t kMost = 8 << 10;
  const std::size_t each = std::min(kMost, node.slot_bytes());
  node.use_new_places();
  for (std::size_t at = 0; at < bytes; at += each) {
    const std::size_t now = std::min(each, bytes - at);
    if (node.rank() == 0) {
      const Step step = node.begin(now);
      node.write_slot(step, 0, in + at, now);
      node.publish(step);
      if (prefix == Prefix::kInclusive && in != out) copy_bytes(in + at, out + at, now);
    } else {
      const Step step = node.join();
      node.wait_published(0, step);
      const std::byte* const before = node.slot(0, step);
      if (prefix == Prefix::kInclusive) {
        reducer.combine(before, in + at, out + at, now);
      } else {
        copy_bytes(before, out + at, now);
      }
    }
    node.done();
  }
}

// Each rank goes through the operands of its part of a chunk and leaves what they add up to at each
// rank, which collects its own: however many ranks there are, each reduces a chunk once.
class ScanInParts {
 public:
  ScanInParts(Node& node, Reducer& reducer, Prefix prefix)
      : node_(node),
        reducer_(reducer),
        ranks_(node.rank() + (prefix == Prefix::kInclusive ? 1 : 0)) {}

  void chunk(const std::byte* in, std::byte* out, std::size_t bytes) {
    const Step operands = node_.begin(bytes);
    node_.write_slot(operands, 0, in, bytes);
    node_.publish(operands);
    wait_for_others(operands);
    const Step results = reduce_part(operands, bytes);
    // Before others may take this rank to be done with the operands.
    if (ranks_ == 1) copy_bytes(node_.slot(0, operands), out, bytes);
    node_.publish(results);
    wait_for_others(results);
    if (ranks_ > 1) collect(results, out, bytes);
  }

 private:
  Part part(int rank, std::size_t bytes) const {
    return part_of(rank, node_.size(), bytes, reducer_.element_bytes());
  }

  void wait_for_others(Step step) {
    for (int i = 1; i < node_.size(); ++i) {
      node_.wait_published((node_.rank() + i) % node_.size(), step);
    }
    node_.all_finished(step - 1);
  }

  // From the second rank on: what adds up at the first one is its operand.
  Step reduce_part(Step operands, std::size_t bytes) {
    const Part mine = part(node_.rank(), bytes);
    const auto sums = static_cast<std::size_t>(node_.size() - 1);
    const Step results = node_.begin(sums * mine.bytes);
    if (mine.bytes == 0) return results;
    std::byte* sum = node_.slot(node_.rank(), results);
    const std::byte* left = node_.slot(0, operands) + mine.first;
    for (int rank = 1; rank < node_.size(); ++rank) {
      reducer_.combine(left, node_.slot(rank, operands) + mine.first, sum, mine.bytes);
      left = sum;
      sum += mine.bytes;
    }
    return results;
  }

  void collect(Step results, std::byte* out, std::size_t bytes) const {
    for (int i = 0; i < node_.size(); ++i) {
      const int rank = (node_.rank() + i) % node_.size();
      const Part theirs = part(rank, bytes);
      const std::byte* const sums = node_.slot(rank, results);
      copy_bytes(sums + static_cast<std::size_t>(ranks_ - 2) * theirs.bytes, out + theirs.first,
                 theirs.bytes);
    }
  }

  Node& node_;
  Reducer& reducer_;
  int ranks_;  // whose operands this rank gets
};

void scan_in_parts(Node& node, Reducer& reducer, const std::byte* in, std::byte* out,
                   std::size_t bytes, Prefix prefix) {
  const Node::Exchange exchange(node, bytes);
  ScanInParts scan(node, reducer, prefix);
  // Parts of equal length, in whole cache lines and whole elements.
  const std::size_t unit =
      static_cast<std::size_t>(node.size()) * std::max<std::size_t>(64, reducer.element_bytes());
  const std::size_t each = node.slot_bytes() / unit * unit;
  for (std::size_t at = 0; at < bytes; at += each) {
    scan.chunk(in + at, out + at, std::min(each, bytes - at));
  }
}

}  // namespace

void scan(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes,
          Prefix prefix) {
  const auto* const from = static_cast<const std::byte*>(in);
  auto* const to = static_cast<std::byte*>(out);
  if (node.size() == 1) {
    if (prefix == Prefix::kInclusive && in != out) std::memcpy(out, in, bytes);
  } else if (bytes <= Cell::kBytes) {
    scan_in_cells(node, reducer, in, out, bytes, prefix);
  } else if (node.size() == 2) {
    scan_of_two(node, reducer, from, to, bytes, prefix);
  } else {
    scan_in_parts(node, reducer, from, to, bytes, prefix);
  }
}

}  // namespace leadline::node
