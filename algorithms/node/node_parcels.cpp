// Movements of blocks whose sizes not all ranks know.
//
// A sender says in each step what is in it for each receiver, how much there is in all, and whether
// there is more to come. So all ranks take the same steps, whatever sizes they were given, and one
// that was given less room than there are data finds so. In alltoallv, what is little goes with the
// first word of it in cache lines.
#include <algorithm>
#include <cstring>

#include "algorithms/copy/copy.hpp"
#include "algorithms/node/node_collectives.hpp"

namespace leadline::node {
namespace {

// What a slot holds for one receiver, in a cache line for each of them before all data.
struct alignas(64) Label {
  std::uint64_t total;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint32_t more;  // to come, for whomever
  std::uint32_t refused;
};

std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// Calls `visit` with all other ranks, beginning with the next one.
template <typename Visit>
void for_others(const Node& node, const Visit& visit) {
  for (int i = 1; i < node.size(); ++i) visit((node.rank() + i) % node.size());
}

void copy_own(const void* from, void* to, std::size_t bytes) {
  if (from != to && bytes > 0) copy_routine_for(2 * bytes)(to, from, bytes);
}

// What one rank sends to the others, step by step.
class Sender {
 public:
  // `blocks` may be nullptr: refused. Those of up to `little` bytes have other ways to travel.
  Sender(Node& node, const void* data, const std::vector<Place>* blocks, std::size_t little = 0)
      : node_(node), data_(static_cast<const std::byte*>(data)), blocks_(blocks), little_(little) {
    std::size_t all = 0;
    for_others(node_, [&](int rank) { all += block(rank).bytes; });
    node_.choose_way(all);
    more_ = all > 0;
  }

  bool has_more() const { return more_; }

  Step publish() {
    const std::size_t labels = sizeof(Label) * static_cast<std::size_t>(node_.size());
    std::size_t waiting = 0;
    for_others(node_, [&](int rank) { waiting += block(rank).bytes > sent_ ? 1 : 0; });
    // As much of each block: the next step goes on where all end.
    const std::size_t room = node_.slot_bytes() - labels;
    const std::size_t share = waiting > 0 ? room / waiting / 64 * 64 : 0;
    std::size_t end = labels;
    more_ = false;
    for_others(node_, [&](int rank) {
      end += in_lines(block(rank).rest(sent_, share));
      more_ = more_ || block(rank).bytes > sent_ + share;
    });
    const Step step = node_.begin(end);
    end = labels;
    for_others(node_, [&](int rank) {
      const Place place = block(rank);
      const std::size_t now = place.rest(sent_, share);
      const Label label{.total = place.bytes,
                        .offset = end,
                        .bytes = now,
                        .more = more_ ? 1U : 0U,
                        .refused = blocks_ == nullptr ? 1U : 0U};
      std::memcpy(node_.slot(node_.rank(), step) + sizeof(Label) * static_cast<std::size_t>(rank),
                  &label, sizeof label);
      if (now > 0) node_.write_slot(step, end, data_ + place.offset + sent_, now);
      end += in_lines(now);
    });
    node_.publish(step);
    sent_ += share;
    return step;
  }

 private:
  Place block(int rank) const {
    if (blocks_ == nullptr) return {};
    const Place& place = (*blocks_)[static_cast<std::size_t>(rank)];
    return place.bytes > little_ ? place : Place{};
  }

  Node& node_;
  const std::byte* data_;
  const std::vector<Place>* blocks_;
  std::size_t little_;
  std::size_t sent_ = 0;  // of each block that is so long
  bool more_ = false;
};

// What one rank has from another one.
class Receiver {
 public:
  explicit Receiver(void* data, std::size_t room)
      : data_(static_cast<std::byte*>(data)), room_(room) {}

  // Whether the rank refuses in the first step.
  static bool is_refused(Node& node, int from, Step step) {
    node.wait_published(from, step);
    return label_of(node, from, step).refused != 0;
  }
  void take_nothing() { room_ = 0; }
  // A whole block.
  void take(const void* data, std::size_t bytes, Delivered& delivered) {
    if (std::min(bytes, room_) > 0) std::memcpy(data_, data, std::min(bytes, room_));
    if (bytes > room_) delivered = std::max(delivered, Delivered::kTruncated);
  }
  // Whether more is to come from that rank, for whomever.
  bool take(Node& node, int from, Step step, Delivered& delivered) {
    node.wait_published(from, step);
    const Label label = label_of(node, from, step);
    const std::size_t now = Place{.offset = 0, .bytes = room_}.rest(taken_, label.bytes);
    if (now > 0)
      copy_routine_for(2 * room_)(data_ + taken_, node.slot(from, step) + label.offset, now);
    taken_ += label.bytes;
    if (label.total > room_) delivered = std::max(delivered, Delivered::kTruncated);
    if (label.refused != 0) delivered = Delivered::kNothing;
    return label.more != 0;
  }

 private:
  static Label label_of(const Node& node, int from, Step step) {
    Label label;
    std::memcpy(&label,
                node.slot(from, step) + sizeof label * static_cast<std::size_t>(node.rank()),
                sizeof label);
    return label;
  }

  std::byte* data_;
  std::size_t room_;
  std::size_t taken_ = 0;
};

}  // namespace

bool labels_parcels_for(const Node& node, int ranks) {
  return node.slot_bytes() >= 2 * sizeof(Label) * static_cast<std::size_t>(ranks);
}

Delivered scatterv(Node& node, const void* in, const std::vector<Place>* blocks, void* out,
                   std::size_t bytes, int root) {
  Delivered delivered = Delivered::kAll;
  if (node.rank() == root) {
    Sender sender(node, in, blocks);
    do {
      sender.publish();
      node.done();
    } while (sender.has_more());
    if (blocks == nullptr) return Delivered::kNothing;
    const Place own = (*blocks)[static_cast<std::size_t>(root)];
    const std::byte* const mine = static_cast<const std::byte*>(in) + own.offset;
    if (mine == out) return delivered;
    copy_own(mine, out, std::min(own.bytes, bytes));
    return own.bytes > bytes ? Delivered::kTruncated : delivered;
  }
  Receiver receiver(out, bytes);
  bool more = true;
  while (more) {
    more = receiver.take(node, root, node.join(), delivered);
    node.done();
  }
  return delivered;
}

namespace {

// What a rank's cell holds for each of the others in the first step: how long the block is, all of
// it where that is little, and whether there is more in a slot of the same step, for whomever.
class Notes {
 public:
  explicit Notes(Node& node)
      : node_(node),
        lines_(Cell::kLines / static_cast<std::size_t>(std::max(1, node.size() - 1))),
        received_(static_cast<std::size_t>(node.size())) {}

  // Whether cells have room for all of them.
  bool fit() const { return lines_ > 0; }
  // The longest block that goes with a note.
  std::size_t most() const { return fit() ? lines_ * Line::kBytes - sizeof(std::uint64_t) : 0; }

  void write(Step step, const void* data, const std::vector<Place>* blocks, bool with_slot) {
    for_others(node_, [&](int rank) {
      const Place place = blocks == nullptr ? Place{} : (*blocks)[static_cast<std::size_t>(rank)];
      Note note;
      note.head =
          place.bytes << kFlags | (with_slot ? kSlot : 0U) | (blocks == nullptr ? kRefused : 0U);
      const std::size_t written = place.bytes <= most() ? place.bytes : 0;
      if (written > 0) {
        std::memcpy(note.data, static_cast<const std::byte*>(data) + place.offset, written);
      }
      node_.write_cell(step, &note, sizeof note.head + written, Node::Kind::kOwn,
                       first_line(node_.rank(), rank));
    });
  }

  // Waits for the notes of all others. Whether one of them refuses.
  bool read(Step step) {
    bool refused = false;
    for_others(node_, [&](int rank) {
      std::uint64_t& head = received_[static_cast<std::size_t>(rank)];
      node_.read_cell(rank, step, &head, sizeof head, Node::Kind::kOwn,
                      first_line(rank, node_.rank()));
      refused = refused || (head & kRefused) != 0;
    });
    return refused;
  }
  bool is_with_slot(int rank) const {
    return (received_[static_cast<std::size_t>(rank)] & kSlot) != 0;
  }
  void deliver(int rank, Step step, Receiver& receiver, Delivered& delivered) {
    const std::size_t bytes = received_[static_cast<std::size_t>(rank)] >> kFlags;
    if (bytes == 0 || bytes > most()) return;
    Note note;
    node_.read_cell(rank, step, &note, sizeof note.head + bytes, Node::Kind::kOwn,
                    first_line(rank, node_.rank()));
    receiver.take(note.data, bytes, delivered);
  }

 private:
  static constexpr unsigned kFlags = 2;
  static constexpr std::uint64_t kRefused = 1;
  static constexpr std::uint64_t kSlot = 2;
  struct Note {
    std::uint64_t head;
    std::byte data[Cell::kBytes - sizeof(std::uint64_t)];
  };
  std::size_t first_line(int sender, int receiver) const {
    return lines_ * static_cast<std::size_t>(receiver - (receiver > sender ? 1 : 0));
  }

  Node& node_;
  std::size_t lines_;  // of a cell, for each of the others
  std::vector<std::uint64_t> received_;
};

}  // namespace

Delivered alltoallv(Node& node, const void* in, const std::vector<Place>* sent, void* out,
                    const std::vector<Place>* received) {
  Delivered delivered = Delivered::kAll;
  const bool refused = sent == nullptr || received == nullptr;
  const auto place = [&](const std::vector<Place>* blocks, int rank) {
    return refused ? Place{} : (*blocks)[static_cast<std::size_t>(rank)];
  };
  std::vector<Receiver> receivers;
  for (int rank = 0; rank < node.size(); ++rank) {
    const Place block = place(received, rank);
    receivers.emplace_back(refused ? out : static_cast<std::byte*>(out) + block.offset,
                           block.bytes);
  }
  const std::vector<Place>* const blocks = refused ? nullptr : sent;
  Notes notes(node);
  Sender sender(node, in, blocks, notes.most());
  // Without notes, slots alone say all.
  const bool with_slot = !notes.fit() || sender.has_more();
  const Step first = with_slot ? sender.publish() : node.begin();
  if (notes.fit()) notes.write(first, in, blocks, with_slot);
  Step published = first;
  bool more = true;
  while (more) {
    const Step step = published;
    more = sender.has_more();
    const bool ahead = more;
    if (ahead) published = sender.publish();
    if (step == first) {
      bool any_refuses = false;
      if (notes.fit()) {
        any_refuses = notes.read(step);
      } else {
        for_others(node, [&](int rank) {
          any_refuses = Receiver::is_refused(node, rank, step) || any_refuses;
        });
      }
      // Before anything is written where the library may read again.
      if (any_refuses) {
        delivered = Delivered::kNothing;
        for (Receiver& each : receivers) each.take_nothing();
      }
    }
    for_others(node, [&](int rank) {
      Receiver& receiver = receivers[static_cast<std::size_t>(rank)];
      if (step == first && notes.fit()) {
        notes.deliver(rank, step, receiver, delivered);
        if (!notes.is_with_slot(rank)) return;
      }
      more = receiver.take(node, rank, step, delivered) || more;
    });
    node.all_finished(std::max(first - 1, step - 2));
    if (more && !ahead) published = sender.publish();
  }
  if (refused || delivered == Delivered::kNothing) return Delivered::kNothing;
  const Place from = place(sent, node.rank());
  const Place to = place(received, node.rank());
  copy_own(static_cast<const std::byte*>(in) + from.offset,
           static_cast<std::byte*>(out) + to.offset, std::min(from.bytes, to.bytes));
  return from.bytes > to.bytes ? std::max(delivered, Delivered::kTruncated) : delivered;
}

namespace {

// In a sender's cell: how much it has, and all of it where that is little.
struct Letter {
  static constexpr std::size_t kMost = Cell::kBytes - sizeof(std::uint64_t);
  std::uint64_t total;
  std::byte data[kMost];
};

// Where the root says how many steps there are: none where it refuses.
void send_pieces(Node& node, const std::byte* in, std::size_t bytes, int root,
                 Delivered& delivered) {
  const std::size_t piece = node.slot_bytes();
  const bool in_letter = bytes <= Letter::kMost;
  node.choose_way(bytes);
  std::uint64_t steps = 1;
  for (std::uint64_t done = 0; done < steps; ++done) {
    const Place all{.offset = 0, .bytes = in_letter ? 0 : bytes};
    const std::size_t now = all.rest(done * piece, piece);
    // Others may have more.
    const Step step = node.begin(now);
    if (now > 0) {
      node.write_slot(step, 0, in + done * piece, now);
      node.publish(step);
    }
    if (done == 0) {
      Letter letter;
      letter.total = bytes;
      const std::size_t written = in_letter ? bytes : 0;
      if (written > 0) std::memcpy(letter.data, in, written);
      node.write_cell(step, &letter, sizeof letter.total + written);
      std::memcpy(&steps, node.read_line(root, step), sizeof steps);
    }
    node.done();
  }
  if (steps == 0) delivered = Delivered::kNothing;
}

}  // namespace

Delivered gatherv(Node& node, const void* in, std::size_t bytes, void* out,
                  const std::vector<Place>* blocks, int root) {
  Delivered delivered = Delivered::kAll;
  if (node.rank() != root) {
    send_pieces(node, static_cast<const std::byte*>(in), bytes, root, delivered);
    return delivered;
  }
  const std::size_t piece = node.slot_bytes();
  const auto place = [&](int rank) {
    return blocks == nullptr ? Place{} : (*blocks)[static_cast<std::size_t>(rank)];
  };
  const auto at = [&](const Place& block, std::size_t from) {
    return static_cast<std::byte*>(out) + block.offset + from;
  };
  std::size_t most = 1;
  for_others(node, [&](int rank) { most = std::max(most, place(rank).bytes); });
  const std::uint64_t steps = blocks == nullptr ? 0 : (most + piece - 1) / piece;
  const Step first = node.begin();
  node.write_cell(first, &steps, sizeof steps);
  if (blocks == nullptr) {
    node.done();
    return Delivered::kNothing;
  }
  std::vector<std::uint64_t> totals(static_cast<std::size_t>(node.size()));
  for_others(node, [&](int rank) {
    std::uint64_t& total = totals[static_cast<std::size_t>(rank)];
    std::memcpy(&total, node.read_line(rank, first), sizeof total);
    const Place block = place(rank);
    if (total > block.bytes) delivered = Delivered::kTruncated;
    if (total == 0 || total > Letter::kMost) return;
    Letter letter;
    node.read_cell(rank, first, &letter, sizeof letter.total + total);
    if (block.bytes > 0) std::memcpy(at(block, 0), letter.data, std::min(block.bytes, total));
  });
  for (std::uint64_t done = 0; done < steps; ++done) {
    const Step step = done == 0 ? first : node.join();
    for_others(node, [&](int rank) {
      const std::uint64_t total = totals[static_cast<std::size_t>(rank)];
      if (total <= Letter::kMost || total <= done * piece) return;
      const Place block = place(rank);
      const std::size_t now = std::min(block.rest(done * piece, piece), total - done * piece);
      if (now == 0) return;
      node.wait_published(rank, step);
      copy_routine_for(2 * block.bytes)(at(block, done * piece), node.slot(rank, step), now);
    });
    node.done();
  }
  const Place own = place(root);
  copy_own(in, at(own, 0), std::min(own.bytes, bytes));
  return own.bytes < bytes ? Delivered::kTruncated : delivered;
}

}  // namespace leadline::node
