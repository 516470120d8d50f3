// Collectives that move data and compute nothing.
#include <algorithm>

#include "algorithms/caches.hpp"
#include "algorithms/copy/copy.hpp"
#include "algorithms/shared/node_collectives.hpp"

namespace leadline {
namespace {

const std::byte* at(const void* data, std::size_t offset) {
  return static_cast<const std::byte*>(data) + offset;
}
std::byte* at(void* data, std::size_t offset) { return static_cast<std::byte*>(data) + offset; }

std::size_t block(int rank, std::size_t bytes_per_block) {
  return static_cast<std::size_t>(rank) * bytes_per_block;
}

// To the program's memory: past the caches when a rank touches so much that they cannot hold it.
CopyRoutine::Function* copy_to_program(std::size_t touched) {
  static const std::size_t most = read_caches().last / 2;
  static CopyRoutine::Function* const cached = fastest_copy();
  static CopyRoutine::Function* const past = copy_past_caches();
  return touched > most ? past : cached;
}

void copy_unless_same(const void* from, void* to, std::size_t bytes) {
  if (from != to) fastest_copy()(to, from, bytes);
}

// How much is handed over in one step: little enough for the next one to be worked on meanwhile,
// enough for the signals not to matter.
std::size_t piece_of(std::size_t bytes, std::size_t most) {
  constexpr std::size_t kLeast = 8 << 10;
  constexpr std::size_t kLine = 64;
  return std::min(std::max(kLeast, bytes / 4 / kLine * kLine), most);
}

// A broadcast's lines are written one after the other while others wait for each, who take them
// away again from the core that writes the next ones. More lines than these are better found all
// written, in a slot.
constexpr std::size_t kMostInCellOfRoot = 8 * Line::kBytes;

// Calls `visit` with all other ranks, beginning with the next one, so that not all read from the
// same rank at the same time.
template <typename Visit>
void for_others(const Node& node, const Visit& visit) {
  for (int i = 1; i < node.size(); ++i) visit((node.rank() + i) % node.size());
}

// All ranks hand data to all, `chunk` bytes of a block in each step: `write(step, offset, bytes)`
// and `read(rank, slot, offset, bytes)`. The next chunk is written before the others' is waited
// for.
template <typename Write, typename Read>
void exchange(Node& node, std::size_t bytes_per_block, std::size_t chunk, std::size_t bytes_of_slot,
              const Write& write, const Read& read) {
  const Node::Exchange timed(node, bytes_per_block * static_cast<std::size_t>(node.size()));
  Step published = 0;
  const auto publish = [&](std::size_t offset) {
    published = node.begin(bytes_of_slot);
    write(published, offset, std::min(chunk, bytes_per_block - offset));
    node.publish(published);
  };
  publish(0);
  const Step before = published - 1;
  for (std::size_t offset = 0; offset < bytes_per_block; offset += chunk) {
    const Step step = published;
    if (offset + chunk < bytes_per_block) publish(offset + chunk);
    for_others(node, [&](int rank) {
      node.wait_published(rank, step);
      read(rank, node.slot(rank, step), offset, std::min(chunk, bytes_per_block - offset));
    });
    node.all_finished(std::max(before, step - 2));
  }
}

void allgather_in_cells(Node& node, const void* in, void* out, std::size_t bytes) {
  const Step step = node.begin();
  node.write_cell(step, in, bytes);
  for_others(node,
             [&](int rank) { node.read_cell(rank, step, at(out, block(rank, bytes)), bytes); });
  node.all_finished(step - 1);
}

// Of a slot, for each rank.
std::size_t piece_bytes(std::size_t slot_bytes, int ranks) {
  return slot_bytes / static_cast<std::size_t>(ranks) / 64 * 64;
}

}  // namespace

void node_bcast(Node& node, void* data, std::size_t bytes, int root) {
  if (bytes <= kMostInCellOfRoot) {
    if (node.rank() == root) {
      node.write_cell(node.begin(), data, bytes);
    } else {
      node.read_cell(root, node.join(), data, bytes);
    }
    return node.done();
  }
  const std::size_t piece = piece_of(bytes, node.slot_bytes());
  const auto for_pieces = [&](const auto& visit) {
    for (std::size_t offset = 0; offset < bytes; offset += piece) {
      visit(at(data, offset), std::min(piece, bytes - offset));
      node.done();
    }
  };
  if (node.rank() == root) {
    const Node::Spread spread(node, bytes);
    for_pieces([&](const std::byte* from, std::size_t now) {
      const Step step = node.begin(now);
      node.write_slot(step, 0, from, now);
      node.publish(step);
    });
  } else {
    CopyRoutine::Function* const copy = copy_to_program(2 * bytes);
    for_pieces([&](std::byte* to, std::size_t now) {
      const Step step = node.join();
      node.wait_published(root, step);
      copy(to, node.slot(root, step), now);
    });
  }
}

void node_allgather(Node& node, const void* in, void* out, std::size_t bytes) {
  std::byte* const mine = at(out, block(node.rank(), bytes));
  if (bytes <= Cell::kBytes) {
    allgather_in_cells(node, in, out, bytes);
    copy_unless_same(in, mine, bytes);
    return;
  }
  const std::size_t piece = piece_of(bytes, node.slot_bytes());
  const auto copy = copy_to_program(bytes * static_cast<std::size_t>(node.size() + 1));
  exchange(
      node, bytes, piece, piece,
      [&](Step step, std::size_t offset, std::size_t now) {
        node.write_slot(step, 0, at(in, offset), now);
        // Of what this core has just fetched.
        if (in != mine) copy(mine + offset, at(in, offset), now);
      },
      [&](int rank, const std::byte* slot, std::size_t offset, std::size_t now) {
        copy(at(out, block(rank, bytes) + offset), slot, now);
      });
}

void node_gather(Node& node, const void* in, void* out, std::size_t bytes, int root) {
  node.choose_way(bytes);
  for (std::size_t offset = 0; offset < bytes; offset += node.slot_bytes()) {
    const std::size_t now = std::min(node.slot_bytes(), bytes - offset);
    if (node.rank() == root) {
      const Step step = node.join();
      for_others(node, [&](int rank) {
        node.wait_published(rank, step);
        copy_bytes(node.slot(rank, step), at(out, block(rank, bytes) + offset), now);
      });
    } else {
      const Step step = node.begin(now);
      node.write_slot(step, 0, at(in, offset), now);
      node.publish(step);
    }
    node.done();
  }
  if (node.rank() == root) copy_unless_same(in, at(out, block(root, bytes)), bytes);
}

void node_scatter(Node& node, const void* in, void* out, std::size_t bytes, int root) {
  node.choose_way(bytes);
  const std::size_t chunk = piece_bytes(node.slot_bytes(), node.size());
  for (std::size_t offset = 0; offset < bytes; offset += chunk) {
    const std::size_t now = std::min(chunk, bytes - offset);
    if (node.rank() == root) {
      const Step step = node.begin(node.slot_bytes());
      for_others(node, [&](int rank) {
        node.write_slot(step, block(rank, chunk), at(in, block(rank, bytes) + offset), now);
      });
      node.publish(step);
    } else {
      const Step step = node.join();
      node.wait_published(root, step);
      copy_bytes(node.slot(root, step) + block(node.rank(), chunk), at(out, offset), now);
    }
    node.done();
  }
  if (node.rank() == root) copy_unless_same(at(in, block(root, bytes)), out, bytes);
}

void node_alltoall(Node& node, const void* in, void* out, std::size_t bytes) {
  const std::size_t piece = piece_of(bytes, piece_bytes(node.slot_bytes(), node.size()));
  const std::size_t room = (std::min(piece, bytes) + 63) / 64 * 64;
  const std::size_t mine = block(node.rank(), bytes);
  const auto copy = copy_to_program(2 * bytes * static_cast<std::size_t>(node.size()));
  exchange(
      node, bytes, piece, block(node.size(), room),
      [&](Step step, std::size_t offset, std::size_t now) {
        for_others(node, [&](int rank) {
          node.write_slot(step, block(rank, room), at(in, block(rank, bytes) + offset), now);
        });
        if (in != out) copy(at(out, mine + offset), at(in, mine + offset), now);
      },
      [&](int rank, const std::byte* slot, std::size_t offset, std::size_t now) {
        copy(at(out, block(rank, bytes) + offset), slot + block(node.rank(), room), now);
      });
}

bool holds_pieces_for(const Node& node, int ranks) {
  return piece_bytes(node.slot_bytes(), ranks) > 0;
}

}  // namespace leadline
