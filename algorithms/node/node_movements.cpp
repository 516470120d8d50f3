// Collectives that move data and compute nothing.
#include <algorithm>

#include "algorithms/copy/copy.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node/paced.hpp"

namespace leadline::node {
namespace {

const std::byte* at(const void* data, std::size_t offset) {
  return static_cast<const std::byte*>(data) + offset;
}
std::byte* at(void* data, std::size_t offset) { return static_cast<std::byte*>(data) + offset; }

std::size_t block(int rank, std::size_t bytes_per_block) {
  return static_cast<std::size_t>(rank) * bytes_per_block;
}

void copy_unless_same(const void* from, void* to, std::size_t bytes) {
  if (from != to) copy_routine_for(2 * bytes)(to, from, bytes);
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

// The pieces of blocks that all ranks hand to all.
struct Pieces {
  std::size_t bytes_per_block;
  std::size_t each;
  std::size_t of_slot;
};

// `write(step, offset, bytes)` and `read(rank, slot, offset, bytes)`. The next piece is written
// before the others' is waited for.
template <typename Write, typename Read>
void exchange(Node& node, Node::Movement& movement, const Pieces& pieces, const Write& write,
              const Read& read) {
  const std::size_t bytes = pieces.bytes_per_block;
  Step published = 0;
  const auto publish = [&](std::size_t offset) {
    published = node.begin(pieces.of_slot);
    movement.begun(published);
    write(published, offset, std::min(pieces.each, bytes - offset));
    node.publish(published);
  };
  publish(0);
  const Step before = published - 1;
  for (std::size_t offset = 0; offset < bytes; offset += pieces.each) {
    const Step step = published;
    if (offset + pieces.each < bytes) publish(offset + pieces.each);
    for_others(node, [&](int rank) {
      node.wait_published(rank, step);
      read(rank, node.slot(rank, step), offset, std::min(pieces.each, bytes - offset));
    });
    movement.met(step);
    node.all_finished(std::max(before, step - 2));
  }
}

// Each rank offers `data`, and `read(rank, step)` what another one offers, which returns whether it
// could; meanwhile each does its `own` work. Whether all could.
template <typename Read, typename Own>
bool exchange_singly(Node& node, Node::Movement& movement, const void* data, const Read& read,
                     const Own& own) {
  const Step step = node.begin();
  movement.begun(step);
  node.offer(step, data);
  own();
  bool could_read = true;
  for_others(node, [&](int rank) {
    node.wait_published(rank, step);
    could_read = could_read && read(rank, step);
  });
  movement.met(step);
  node.all_finished(step - 1);
  if (node.agree(could_read)) return true;
  node.use_slots();
  return false;
}

// What a rank sends another one and receives from it, and its own block, which it keeps.
struct Blocks {
  const std::byte* sent;
  std::byte* received;
  const std::byte* own;
  std::byte* kept;
  std::size_t sent_bytes;  // also of its own
  std::size_t received_bytes;

  std::size_t bytes() const { return std::max(sent_bytes, received_bytes); }
};

std::size_t now_of(std::size_t bytes, std::size_t from, std::size_t most) {
  return Place{.offset = 0, .bytes = bytes}.rest(from, most);
}

// Two ranks: each writes its next piece before it reads the other's.
void swap_blocks(Node& node, Node::Movement& movement, const Blocks& blocks,
                 CopyRoutine::Function* copy) {
  Step published = 0;
  const std::size_t bytes = blocks.bytes();
  const auto publish = [&](std::size_t at) {
    const std::size_t now = now_of(blocks.sent_bytes, at, Swap::kBytes);
    published = node.begin_swap();
    movement.begun(published);
    node.give(published, now > 0 ? blocks.sent + at : nullptr, now);
    if (now > 0 && blocks.own != blocks.kept) copy(blocks.kept + at, blocks.own + at, now);
  };
  publish(0);
  const Step before = published - 1;
  for (std::size_t at = 0; at < bytes; at += Swap::kBytes) {
    const Step step = published;
    if (at + Swap::kBytes < bytes) publish(at + Swap::kBytes);
    const std::size_t now = now_of(blocks.received_bytes, at, Swap::kBytes);
    const std::byte* const taken = node.take(step, now);
    if (now > 0) copy(blocks.received + at, taken, now);
    movement.met(step);
    node.all_finished(std::max(before, step - 2));
  }
}

// Little data of two ranks, at once.
void swap_little(Node& node, const Blocks& blocks) {
  const Step step = node.begin_swap();
  node.give(step, blocks.sent, blocks.sent_bytes);
  if (blocks.sent_bytes > 0) copy_unless_same(blocks.own, blocks.kept, blocks.sent_bytes);
  const std::size_t bytes = blocks.received_bytes;
  const std::byte* const taken = node.take(step, bytes);
  if (bytes > 0) copy_routine_for(2 * bytes)(blocks.received, taken, bytes);
  node.all_finished(step - 1);
}

bool is_little_of_two(const Node& node, std::size_t bytes) {
  constexpr std::size_t kMost = Swap::kBytes / 2;
  return node.size() == 2 && bytes <= kMost;
}

bool swaps(const Node& node, Way way) { return node.size() == 2 && way == Way::kSamePlace; }

// Blocks for the others lie in a cell one after the other, each from a line of its own.
std::size_t lines_of(std::size_t bytes) { return (bytes + Line::kBytes - 1) / Line::kBytes; }

bool cell_holds_blocks(const Node& node, std::size_t bytes) {
  return lines_of(bytes) * static_cast<std::size_t>(node.size() - 1) <= Cell::kLines;
}

std::size_t line_of_block(std::size_t bytes, int sender, int receiver) {
  return lines_of(bytes) * static_cast<std::size_t>(receiver - (receiver > sender ? 1 : 0));
}

void alltoall_in_cells(Node& node, const void* in, void* out, std::size_t bytes) {
  const int me = node.rank();
  const Step step = node.begin();
  for_others(node, [&](int rank) {
    node.write_cell(step, at(in, block(rank, bytes)), bytes, Node::Kind::kOwn,
                    line_of_block(bytes, me, rank));
  });
  for_others(node, [&](int rank) {
    node.read_cell(rank, step, at(out, block(rank, bytes)), bytes, Node::Kind::kOwn,
                   line_of_block(bytes, rank, me));
  });
  copy_unless_same(at(in, block(me, bytes)), at(out, block(me, bytes)), bytes);
  node.all_finished(step - 1);
}

void scatter_in_cells(Node& node, const void* in, void* out, std::size_t bytes, int root) {
  if (node.rank() == root) {
    const Step step = node.begin();
    for_others(node, [&](int rank) {
      node.write_cell(step, at(in, block(rank, bytes)), bytes, Node::Kind::kOwn,
                      line_of_block(bytes, root, rank));
    });
  } else {
    node.read_cell(root, node.join(), out, bytes, Node::Kind::kOwn,
                   line_of_block(bytes, root, node.rank()));
  }
  node.done();
}

// Of a slot, for each rank.
std::size_t piece_bytes(std::size_t slot_bytes, int ranks) {
  return slot_bytes / static_cast<std::size_t>(ranks) / 64 * 64;
}

// `place(rank)` is where a rank's block lies in `out`; the longest has `most` bytes.
template <typename PlaceOf>
void allgather_at(Node& node, const void* in, void* out, std::size_t most, std::size_t total,
                  const PlaceOf& place) {
  const Place own = place(node.rank());
  const Place other = place(node.rank() == 0 ? 1 : 0);
  std::byte* const mine = at(out, own.offset);
  const Blocks of_two{.sent = static_cast<const std::byte*>(in),
                      .received = at(out, other.offset),
                      .own = static_cast<const std::byte*>(in),
                      .kept = mine,
                      .sent_bytes = own.bytes,
                      .received_bytes = other.bytes};
  if (is_little_of_two(node, most)) return swap_little(node, of_two);
  if (most <= Cell::kBytes) {
    const Step step = node.begin();
    node.write_cell(step, in, own.bytes);
    for_others(node, [&](int rank) {
      node.read_cell(rank, step, at(out, place(rank).offset), place(rank).bytes);
    });
    node.all_finished(step - 1);
    if (own.bytes > 0) copy_unless_same(in, mine, own.bytes);
    return;
  }
  const auto copy = copy_routine_for(total + most);
  Node::Movement movement(node, most);
  if (swaps(node, movement.way())) return swap_blocks(node, movement, of_two, copy);
  if (movement.way() == Way::kSingleCopy &&
      exchange_singly(
          node, movement, in,
          [&](int rank, Step step) {
            return node.read_offer(rank, step, 0, at(out, place(rank).offset), place(rank).bytes);
          },
          [&] {
            if (in != mine && own.bytes > 0) copy(mine, in, own.bytes);
          })) {
    return;
  }
  const std::size_t piece = piece_of(most, node.slot_bytes());
  exchange(
      node, movement, {.bytes_per_block = most, .each = piece, .of_slot = std::min(piece, most)},
      [&](Step step, std::size_t offset, std::size_t) {
        const std::size_t now = own.rest(offset, piece);
        if (now == 0) return;
        node.write_slot(step, 0, at(in, offset), now);
        // Of what this core has just fetched.
        if (in != mine) copy(mine + offset, at(in, offset), now);
      },
      [&](int rank, const std::byte* slot, std::size_t offset, std::size_t) {
        const Place theirs = place(rank);
        const std::size_t now = theirs.rest(offset, piece);
        if (now > 0) copy(at(out, theirs.offset + offset), slot, now);
      });
}

// Between domains of memory, data of a broadcast go once, and then are handed on.
int source_of(const Node& node, std::size_t bytes, int root) {
  return bytes < Node::kMuch ? root : node.source_of(node.rank(), root);
}

// The root hands the others its data.
void spread(Node& node, const void* data, std::size_t bytes) {
  const bool can_copy_singly = node.copies_singly(bytes) && !node.has_domains();
  const Node::Spread spread(node, bytes, can_copy_singly);
  if (spread.way() == Way::kSingleCopy) {
    const Step step = node.begin();
    node.offer(step, data, bytes);
    if (node.agree(true)) return;
    node.use_slots();
  }
  const std::size_t piece = piece_of(bytes, node.slot_bytes());
  for (std::size_t offset = 0; offset < bytes; offset += piece) {
    const std::size_t now = std::min(piece, bytes - offset);
    const Step step = node.begin(now, bytes);
    node.write_slot(step, 0, at(data, offset), now);
    node.publish(step);
    node.done();
  }
}

// Takes what the root spreads, of which there may be more or less than `room`. Returns how much
// there is.
std::size_t take_spread(Node& node, void* data, std::size_t room, int root) {
  const auto copy = copy_routine_for(2 * room);
  const int source = source_of(node, room, root);
  const bool hands_on = room >= Node::kMuch && node.hands_on(node.rank(), root);
  if (hands_on) node.use_new_places();
  std::size_t sent = room;
  for (std::size_t offset = 0; offset < sent;) {
    const Step next = node.next();
    node.wait_published(source, next);
    sent = node.size_of(source, next, room);
    if (node.is_offered(source, next)) {
      node.join();
      if (node.agree(node.read_offer(source, next, 0, data, std::min(sent, room)))) break;
      continue;
    }
    const std::size_t now = std::min(piece_of(sent, node.slot_bytes()), sent - offset);
    const Step step = hands_on ? node.begin(now, sent) : node.join();
    const std::byte* from = node.slot(source, step);
    if (hands_on) {
      node.write_slot(step, 0, from, now);
      node.publish(step);
      from = node.slot(node.rank(), step);
    }
    if (offset < room) copy(at(data, offset), from, std::min(now, room - offset));
    node.done();
    offset += now;
  }
  return sent;
}

// Whoever is wrong about the size finds the data where they are not expected.
std::size_t take(Node& node, void* data, std::size_t room, int root) {
  if (room > kMostInCellOfRoot) {
    node.copies_singly(room);
    if (node.wait_message(source_of(node, room, root), node.next())) {
      return take_spread(node, data, room, root);
    }
  }
  const std::size_t sent = node.read_message(root, node.next(), data, room);
  if (sent == Node::kPublished) return take_spread(node, data, room, root);
  node.join();
  node.done();
  return sent;
}

}  // namespace

std::size_t bcast(Node& node, void* data, std::size_t bytes, int root) {
  if (node.rank() != root) return take(node, data, bytes, root);
  if (bytes > kMostInCellOfRoot) {
    spread(node, data, bytes);
  } else {
    node.write_message(node.begin(), data, bytes);
    node.done();
  }
  return bytes;
}

void allgather(Node& node, const void* in, void* out, std::size_t bytes) {
  allgather_at(node, in, out, bytes, bytes * static_cast<std::size_t>(node.size()),
               [&](int rank) { return Place{.offset = block(rank, bytes), .bytes = bytes}; });
}

void allgatherv(Node& node, const void* in, void* out, const std::vector<Place>& blocks) {
  std::size_t most = 0;
  std::size_t total = 0;
  for (const Place& one : blocks) {
    most = std::max(most, one.bytes);
    total += one.bytes;
  }
  allgather_at(node, in, out, most, total,
               [&](int rank) { return blocks[static_cast<std::size_t>(rank)]; });
}

void gather(Node& node, const void* in, void* out, std::size_t bytes, int root) {
  const bool in_cells = bytes <= Cell::kBytes;
  const std::size_t piece = in_cells ? bytes : node.slot_bytes();
  if (!in_cells) node.choose_way(bytes);
  for (std::size_t offset = 0; offset < bytes; offset += piece) {
    const std::size_t now = std::min(piece, bytes - offset);
    if (node.rank() == root) {
      const Step step = node.join();
      for_others(node, [&](int rank) {
        std::byte* const to = at(out, block(rank, bytes) + offset);
        if (in_cells) return node.read_cell(rank, step, to, now);
        node.wait_published(rank, step);
        copy_bytes(node.slot(rank, step), to, now);
      });
    } else {
      const Step step = node.begin(in_cells ? 0 : now);
      if (in_cells) {
        node.write_cell(step, in, now);
      } else {
        node.write_slot(step, 0, at(in, offset), now);
        node.publish(step);
      }
    }
    node.done();
  }
  if (node.rank() == root) copy_unless_same(in, at(out, block(root, bytes)), bytes);
}

void scatter(Node& node, const void* in, void* out, std::size_t bytes, int root) {
  if (cell_holds_blocks(node, bytes)) {
    scatter_in_cells(node, in, out, bytes, root);
  } else {
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
  }
  if (node.rank() == root) copy_unless_same(at(in, block(root, bytes)), out, bytes);
}

void alltoall(Node& node, const void* in, void* out, std::size_t bytes) {
  const std::size_t mine = block(node.rank(), bytes);
  const std::size_t others = block(node.rank() == 0 ? 1 : 0, bytes);
  const Blocks of_two{.sent = at(in, others),
                      .received = at(out, others),
                      .own = at(in, mine),
                      .kept = at(out, mine),
                      .sent_bytes = bytes,
                      .received_bytes = bytes};
  if (is_little_of_two(node, bytes)) return swap_little(node, of_two);
  if (cell_holds_blocks(node, bytes)) return alltoall_in_cells(node, in, out, bytes);
  const auto copy = copy_routine_for(2 * bytes * static_cast<std::size_t>(node.size()));
  Node::Movement movement(node, bytes);
  if (swaps(node, movement.way())) return swap_blocks(node, movement, of_two, copy);
  if (movement.way() == Way::kSingleCopy && in != out &&
      exchange_singly(
          node, movement, in,
          [&](int rank, Step step) {
            return node.read_offer(rank, step, mine, at(out, block(rank, bytes)), bytes);
          },
          [&] { copy(at(out, mine), at(in, mine), bytes); })) {
    return;
  }
  const std::size_t piece = piece_of(bytes, piece_bytes(node.slot_bytes(), node.size()));
  const std::size_t room = (std::min(piece, bytes) + 63) / 64 * 64;
  exchange(
      node, movement,
      {.bytes_per_block = bytes, .each = piece, .of_slot = block(node.size(), room)},
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

}  // namespace leadline::node
