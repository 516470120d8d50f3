// Little data go through cells and slots. Much is copied once, between the symmetric heaps, and
// needs no memory between: from a root by those who want it, else by whoever has it, since storing
// far away is faster than loading from there. Much is reduced where it lies: each PE reads a part
// of all operands, and writes the result to all PEs. Objects outside the heaps, such as static
// ones, go through slots whatever their size.
#include "runtime/shmem/movement.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "algorithms/copy/copy.hpp"
#include "algorithms/node/node_collectives.hpp"

namespace leadline::runtime {
namespace {

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
bool meet(Group& group, const Places& places) {
  bool same = places.in != Group::kElsewhere && places.out != Group::kElsewhere;
  exchange_values(group, places, [&](int, const Places& other) {
    same = same && other.in == places.in && other.out == places.out;
  });
  return same;
}

// More than so much of a PE is worth a meeting of all; of a root alone, so much.
constexpr std::size_t kMostInSlots = 8 << 10;
constexpr std::size_t kMuchOfRoot = 2 << 10;

const std::byte* at(const void* data, std::size_t offset) {
  return static_cast<const std::byte*>(data) + offset;
}
std::byte* at(void* data, std::size_t offset) { return static_cast<std::byte*>(data) + offset; }

// Calls `visit` with all ranks, beginning with this one, so that not all write to the same PE at
// the same time.
template <typename Visit>
void for_all(const Group& group, const Visit& visit) {
  for (int i = 0; i < group.size(); ++i) visit((group.rank() + i) % group.size());
}

// The others read the root's object. It goes on when they have, since it may then change it.
void broadcast_directly(Group& group, Group::Offset in, void* out, std::size_t bytes, int root) {
  node::Node& node = group.node();
  if (group.rank() == root) {
    const node::Step done = node.join();
    for (int rank = 0; rank < group.size(); ++rank) {
      if (rank != root) node.read_cell(rank, done, nullptr, 0);
    }
  } else {
    copy_routine_for(2 * bytes)(out, group.at(root, in), bytes);
    node.write_cell(node.begin(), nullptr, 0);
  }
  node.done();
}

// As blocks of the same size, through memory between.
void collect_padded(Group& group, const void* in, void* out, const std::vector<std::size_t>& sizes,
                    std::size_t most) {
  static std::vector<std::byte> room;
  if (room.size() < most * (sizes.size() + 1)) room.resize(most * (sizes.size() + 1));
  std::byte* const own = room.data() + most * sizes.size();
  std::memcpy(own, in, sizes[static_cast<std::size_t>(group.rank())]);
  node::allgather(group.node(), own, room.data(), most);
  std::byte* to = at(out, 0);
  const std::byte* from = room.data();
  for (const std::size_t bytes : sizes) {
    std::memcpy(to, from, bytes);
    to += bytes;
    from += most;
  }
}

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

void group_broadcast(Group& group, const void* in, void* out, std::size_t bytes, int root) {
  node::Node& node = group.node();
  // The root's `out` is left as it is.
  void* const data = group.rank() == root ? const_cast<void*>(in) : out;
  Group::Offset place = Group::kElsewhere;
  if (bytes >= kMuchOfRoot) {
    if (group.rank() == root) place = group.offset_of(in, bytes);
    node::bcast(node, &place, sizeof place, root);
  }
  if (place == Group::kElsewhere) {
    node::bcast(node, data, bytes, root);
  } else {
    broadcast_directly(group, place, out, bytes, root);
  }
}

void group_allgather(Group& group, const void* in, void* out, std::size_t bytes) {
  const auto all = bytes * static_cast<std::size_t>(group.size());
  const Group::Offset place = bytes > kMostInSlots ? group.offset_of(out, all) : Group::kElsewhere;
  if (bytes <= kMostInSlots || !meet(group, {.in = 0, .out = place})) {
    return node::allgather(group.node(), in, out, bytes);
  }
  CopyRoutine::Function* const copy = copy_routine_for(2 * all);
  const auto mine = static_cast<Group::Offset>(static_cast<std::size_t>(group.rank()) * bytes);
  for_all(group, [&](int rank) { copy(group.at(rank, place + mine), in, bytes); });
  node::barrier(group.node());
}

void group_alltoall(Group& group, const void* in, void* out, std::size_t bytes) {
  const auto all = bytes * static_cast<std::size_t>(group.size());
  const Group::Offset place = bytes > kMostInSlots ? group.offset_of(out, all) : Group::kElsewhere;
  if (bytes <= kMostInSlots || !meet(group, {.in = 0, .out = place})) {
    return node::alltoall(group.node(), in, out, bytes);
  }
  CopyRoutine::Function* const copy = copy_routine_for(2 * all);
  const auto mine = static_cast<Group::Offset>(static_cast<std::size_t>(group.rank()) * bytes);
  for_all(group, [&](int rank) {
    copy(group.at(rank, place + mine), at(in, static_cast<std::size_t>(rank) * bytes), bytes);
  });
  node::barrier(group.node());
}

void tell_shares(Group& group, void* out, std::size_t bytes, Shares& shares) {
  struct Share {
    std::size_t bytes;
    Group::Offset out;
  };
  const Share own{.bytes = bytes, .out = group.offset_of(out, 1)};
  shares.sizes.clear();
  shares.most = shares.all = 0;
  shares.out = own.out;
  shares.reached = own.out != Group::kElsewhere;
  exchange_values(group, own, [&](int rank, const Share& share) {
    if (rank == group.rank()) shares.before = shares.all;
    shares.sizes.push_back(share.bytes);
    shares.all += share.bytes;
    shares.most = std::max(shares.most, share.bytes);
    shares.reached = shares.reached && share.out == own.out;
  });
}

bool needs_reach(const Shares& shares) { return shares.most > kMostInSlots; }

void group_collect(Group& group, const Shares& shares, const void* in, void* out,
                   std::size_t bytes) {
  if (shares.most == 0) return;
  if (!needs_reach(shares)) return collect_padded(group, in, out, shares.sizes, shares.most);
  CopyRoutine::Function* const copy = copy_routine_for(2 * shares.all);
  const Group::Offset place = shares.out + static_cast<Group::Offset>(shares.before);
  for_all(group, [&](int rank) { copy(group.at(rank, place), in, bytes); });
  node::barrier(group.node());
}

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
