// Reductions and the barrier.
//
// Every rank takes the operands in the order of the ranks, so all get the same result to the last
// bit, whatever the operation rounds.
#include <algorithm>

#include "algorithms/caches.hpp"
#include "algorithms/copy/copy.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node/operands.hpp"
#include "algorithms/node/paced.hpp"
#include "algorithms/node/parts.hpp"

namespace leadline::node {
namespace {

// One step. Each group's first rank brings the group's operands together, then everybody reads
// from these ranks.
void allreduce_in_groups(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes,
                         Step step) {
  alignas(64) std::byte mine[Cell::kBytes];
  const Group group = group_of(node);
  const bool leads = node.rank() == group.first;
  if (leads) {
    fold(reducer, group.first, group.last, 1, bytes, mine, [&](int rank, void* room) {
      return rank == node.rank() ? in : read_operand(node, rank, step, room, bytes);
    });
    node.write_cell(step, mine, bytes, Node::Kind::kGroup);
  } else {
    node.write_cell(step, in, bytes);
  }
  fold(reducer, 0, node.size() - 1, kGroup, bytes, out, [&](int rank, void* room) {
    if (rank == node.rank()) return static_cast<const void*>(mine);
    return read_operand(node, rank, step, room, bytes, Node::Kind::kGroup);
  });
}

void allreduce_in_cells(Node& node, Reducer& reducer, const void* in, void* out,
                        std::size_t bytes) {
  const Step step = node.begin();
  if (is_flat(node)) {
    node.write_cell(step, in, bytes);
    fold(reducer, 0, node.size() - 1, 1, bytes, out, [&](int rank, void* room) {
      return rank == node.rank() ? in : read_operand(node, rank, step, room, bytes);
    });
  } else {
    allreduce_in_groups(node, reducer, in, out, bytes, step);
  }
  node.all_finished(step - 1);
}

// What two ranks compute at a time.
class Pieces {
 public:
  static constexpr std::size_t kMost = 8 << 10;

  // `results`: how many of the two ranks write one.
  Pieces(const void* in, void* out, std::size_t bytes, std::size_t each, std::size_t results)
      : each(each),
        in_(static_cast<const std::byte*>(in)),
        out_(static_cast<std::byte*>(out)),
        bytes_(bytes),
        past_caches_(are_too_much(bytes * (2 + results))) {}

  const std::size_t each;

  const std::byte* operands(std::size_t at) const { return in_ + at; }
  std::size_t bytes(std::size_t at) const { return std::min(each, bytes_ - at); }
  // `theirs` are the operands of `other`.
  void combine(Reducer& reducer, std::size_t at, int other, const std::byte* theirs) const {
    const std::byte* mine = in_ + at;
    const std::byte* left = other == 0 ? theirs : mine;
    const std::byte* right = other == 0 ? mine : theirs;
    if (!past_caches_) return reducer.combine(left, right, out_ + at, bytes(at));
    alignas(64) std::byte result[kMost];
    reducer.combine(left, right, result, bytes(at));
    copy_past_caches()(out_ + at, result, bytes(at));
  }

 private:
  // What ranks touch in a call and find no more in their last cache in the next one: then no line
  // of the result is worth fetching only because it is stored.
  static bool are_too_much(std::size_t touched) {
    static const std::size_t most = read_caches().last / 4 * 3;
    return touched >= most;
  }

  const std::byte* in_;
  std::byte* out_;
  std::size_t bytes_;
  bool past_caches_;
};

// Two ranks: each reads the other's operands while it writes its own next ones.
void allreduce_of_two(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes) {
  const Pieces pieces(in, out, bytes, Swap::kBytes, 2);
  Step published = 0;
  const auto publish = [&](std::size_t at) {
    published = node.begin_swap();
    node.give(published, pieces.operands(at), pieces.bytes(at));
  };
  publish(0);
  const Step before = published - 1;
  for (std::size_t at = 0; at < bytes; at += pieces.each) {
    const Step step = published;
    if (at + pieces.each < bytes) publish(at + pieces.each);
    const std::byte* theirs = node.take(step, pieces.bytes(at));
    node.all_finished(std::max(before, step - 2));
    pieces.combine(reducer, at, 1 - node.rank(), theirs);
  }
}

void wait_for_all(Node& node, Step step) {
  for (int rank = 0; rank < node.size(); ++rank) {
    if (rank != node.rank()) node.wait_published(rank, step);
  }
  node.all_finished(step - 1);
}

// Each rank reduces its part of the chunk. The results lie in the slots of the step returned.
Step reduce_scatter(Node& node, Reducer& reducer, const std::byte* in, std::size_t bytes) {
  const Step operands = node.begin(bytes);
  node.write_slot(operands, 0, in, bytes);
  node.publish(operands);
  wait_for_all(node, operands);
  const Part mine = part_of(node.rank(), node.size(), bytes, reducer.element_bytes());
  const Step results = node.begin(mine.bytes);
  if (mine.bytes > 0) {
    std::byte* result = node.slot(node.rank(), results);
    const void* left = node.slot(0, operands) + mine.first;
    for (int rank = 1; rank < node.size(); ++rank) {
      reducer.combine(left, node.slot(rank, operands) + mine.first, result, mine.bytes);
      left = result;
    }
  }
  node.publish(results);
  return results;
}

void gather_parts(Node& node, const Reducer& reducer, Step results, std::byte* out,
                  std::size_t bytes) {
  for (int i = 0; i < node.size(); ++i) {
    const int rank = (node.rank() + i) % node.size();
    const Part part = part_of(rank, node.size(), bytes, reducer.element_bytes());
    if (rank != node.rank()) node.wait_published(rank, results);
    copy_bytes(node.slot(rank, results), out + part.first, part.bytes);
  }
}

// Many ranks: in turns of a chunk, each rank reduces a part of it for all.
void allreduce_in_parts(Node& node, Reducer& reducer, const void* in, void* out,
                        std::size_t bytes) {
  const Node::Exchange exchange(node, bytes);
  for (std::size_t at = 0; at < bytes; at += node.slot_bytes()) {
    const std::size_t now = std::min(node.slot_bytes(), bytes - at);
    const Step results = reduce_scatter(node, reducer, static_cast<const std::byte*>(in) + at, now);
    gather_parts(node, reducer, results, static_cast<std::byte*>(out) + at, now);
    node.all_finished(results - 1);
  }
}

// Only the root waits.
void reduce_in_cells(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes,
                     int root) {
  const Step step = node.begin();
  if (node.rank() == root) {
    fold(reducer, 0, node.size() - 1, 1, bytes, out, [&](int rank, void* room) {
      return rank == root ? in : read_operand(node, rank, step, room, bytes);
    });
  } else {
    node.write_cell(step, in, bytes);
  }
  node.done();
}

// Two ranks: the root computes what the other one writes.
void reduce_of_two(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes,
                   int root) {
  const Pieces pieces(in, out, bytes, std::min(Pieces::kMost, node.slot_bytes()), 1);
  node.use_new_places();
  for (std::size_t at = 0; at < bytes; at += pieces.each) {
    if (node.rank() == root) {
      const Step step = node.join();
      node.wait_published(1 - root, step);
      pieces.combine(reducer, at, 1 - root, node.slot(1 - root, step));
    } else {
      const Step step = node.begin(pieces.bytes(at));
      node.write_slot(step, 0, pieces.operands(at), pieces.bytes(at));
      node.publish(step);
    }
    node.done();
  }
}

void reduce_in_parts(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes,
                     int root) {
  node.choose_way(bytes);
  for (std::size_t at = 0; at < bytes; at += node.slot_bytes()) {
    const std::size_t now = std::min(node.slot_bytes(), bytes - at);
    const Step results = reduce_scatter(node, reducer, static_cast<const std::byte*>(in) + at, now);
    if (node.rank() == root) {
      gather_parts(node, reducer, results, static_cast<std::byte*>(out) + at, now);
    }
    node.done();
  }
}

}  // namespace

void barrier(Node& node) {
  if (node.size() == 2) {
    const Step step = node.begin_swap();
    node.give(step, nullptr, 0);
    node.take(step, 0);
    node.all_finished(step - 1);
    return;
  }
  const Step step = node.begin();
  const bool flat = is_flat(node);
  const Group group = group_of(node);
  if (flat || node.rank() != group.first) node.write_cell(step, nullptr, 0);
  if (!flat && node.rank() == group.first) {
    for (int rank = group.first + 1; rank <= group.last; ++rank) {
      node.read_cell(rank, step, nullptr, 0);
    }
    node.write_cell(step, nullptr, 0, Node::Kind::kGroup);
  }
  for (int rank = 0; rank < node.size(); rank += flat ? 1 : kGroup) {
    if (rank == node.rank()) continue;
    node.read_cell(rank, step, nullptr, 0, flat ? Node::Kind::kOwn : Node::Kind::kGroup);
  }
  node.all_finished(step - 1);
}

void allreduce(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes) {
  if (node.size() == 2) {
    allreduce_of_two(node, reducer, in, out, bytes);
  } else if (bytes <= Cell::kBytes) {
    allreduce_in_cells(node, reducer, in, out, bytes);
  } else {
    allreduce_in_parts(node, reducer, in, out, bytes);
  }
}

void reduce(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes, int root) {
  if (node.size() == 1) {
    if (in != out) std::memcpy(out, in, bytes);
  } else if (bytes <= Cell::kBytes) {
    reduce_in_cells(node, reducer, in, out, bytes, root);
  } else if (node.size() == 2) {
    reduce_of_two(node, reducer, in, out, bytes, root);
  } else {
    reduce_in_parts(node, reducer, in, out, bytes, root);
  }
}

}  // namespace leadline::node
