// Little data go through cells and slots. Much is read where it lies, in the other PEs' heaps: it
// is copied once, and needs no memory between. Objects outside the heaps, such as static ones, go
// through slots whatever their size.
#include "runtime/shmem/movement.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "algorithms/shared/node_collectives.hpp"
#include "runtime/shmem/meeting.hpp"

namespace leadline {
namespace {

// From here on a meeting of all PEs is worth it.
constexpr std::size_t kMuch = 4 << 10;

std::byte* at(void* data, std::size_t offset) { return static_cast<std::byte*>(data) + offset; }

// Calls `visit` with all ranks, beginning with this one, so that not all read from the same PE at
// the same time.
template <typename Visit>
void for_all(const Group& group, const Visit& visit) {
  for (int i = 0; i < group.size(); ++i) visit((group.rank() + i) % group.size());
}

// The others read the root's object. It goes on when they have, since it may then change it.
void broadcast_directly(Group& group, Group::Offset in, void* out, std::size_t bytes, int root) {
  Node& node = group.node();
  if (group.rank() == root) {
    const Step done = node.join();
    for (int rank = 0; rank < group.size(); ++rank) {
      if (rank != root) node.read_cell(rank, done, nullptr, 0);
    }
  } else {
    copy_bytes(group.at(root, in), out, bytes);
    node.write_cell(node.begin(), nullptr, 0);
  }
  node.done();
}

}  // namespace

void group_broadcast(Group& group, const void* in, void* out, std::size_t bytes, int root) {
  Node& node = group.node();
  // The root's `out` is left as it is.
  void* const data = group.rank() == root ? const_cast<void*>(in) : out;
  if (bytes < kMuch) return node_bcast(node, data, bytes, root);
  Group::Offset place = group.rank() == root ? group.offset_of(in, bytes) : Group::kElsewhere;
  node_bcast(node, &place, sizeof place, root);
  if (place == Group::kElsewhere) return node_bcast(node, data, bytes, root);
  broadcast_directly(group, place, out, bytes, root);
}

void group_allgather(Group& group, const void* in, void* out, std::size_t bytes) {
  const auto all = bytes * static_cast<std::size_t>(group.size());
  if (bytes < kMuch ||
      !meet(group, {.in = group.offset_of(in, bytes), .out = group.offset_of(out, all)})) {
    return node_allgather(group.node(), in, out, bytes);
  }
  const Group::Offset place = group.offset_of(in, bytes);
  for_all(group, [&](int rank) {
    copy_bytes(group.at(rank, place), at(out, static_cast<std::size_t>(rank) * bytes), bytes);
  });
  node_barrier(group.node());
}

void group_alltoall(Group& group, const void* in, void* out, std::size_t bytes) {
  const auto all = bytes * static_cast<std::size_t>(group.size());
  const auto offset_of = [&](const void* object) { return group.offset_of(object, all); };
  if (all < kMuch || !meet(group, {.in = offset_of(in), .out = offset_of(out)})) {
    return node_alltoall(group.node(), in, out, bytes);
  }
  const Group::Offset place = offset_of(in);
  const auto mine = static_cast<Group::Offset>(static_cast<std::size_t>(group.rank()) * bytes);
  for_all(group, [&](int rank) {
    copy_bytes(group.at(rank, place + mine), at(out, static_cast<std::size_t>(rank) * bytes),
               bytes);
  });
  node_barrier(group.node());
}

bool group_collect(Group& group, const void* in, void* out, std::size_t bytes) {
  struct Share {
    std::size_t bytes;
    Group::Offset place;
  };
  const Share own{.bytes = bytes, .place = bytes > 0 ? group.offset_of(in, bytes) : 0};
  std::vector<Share> shares(static_cast<std::size_t>(group.size()));
  std::size_t most = 0;
  std::size_t all = 0;
  bool reached = true;
  exchange_values(group, own, [&](int rank, const Share& share) {
    shares[static_cast<std::size_t>(rank)] = share;
    most = std::max(most, share.bytes);
    all += share.bytes;
    reached = reached && share.place != Group::kElsewhere;
  });
  const auto* const begin = static_cast<const std::byte*>(in);
  const bool overlap = begin < at(out, all) && out < static_cast<const void*>(begin + most);
  if (most == 0) return true;
  if (overlap || !group.takes(Collective::kCollect, most)) return false;
  std::unique_ptr<std::byte[]> blocks;
  if (most <= Cell::kBytes) {
    blocks = std::make_unique<std::byte[]>(most * (shares.size() + 1));
    std::byte* const padded = blocks.get() + most * shares.size();
    std::memcpy(padded, in, bytes);
    node_allgather(group.node(), padded, blocks.get(), most);
  } else if (!reached) {
    return false;
  }
  std::byte* to = at(out, 0);
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    const Share& share = shares[rank];
    const std::byte* const from = blocks != nullptr ? blocks.get() + rank * most
                                                    : group.at(static_cast<int>(rank), share.place);
    copy_bytes(from, to, share.bytes);
    to += share.bytes;
  }
  if (blocks == nullptr) node_barrier(group.node());
  return true;
}

}  // namespace leadline
