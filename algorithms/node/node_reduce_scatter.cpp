// The reduction that leaves each rank with one block of the result.
//
// Each rank takes the operands of its own block in the order of the ranks, whoever had them first.
#include <algorithm>
#include <cstring>

#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node/paced.hpp"

namespace leadline::node {
namespace {

// Where a rank puts its operands for another one, among those for all others: with two ranks, there
// is nothing else.
std::size_t place(const Node& node, int from, int to) {
  return static_cast<std::size_t>((to - from + node.size() - 1) % node.size());
}

std::size_t others(const Node& node) { return static_cast<std::size_t>(node.size() - 1); }

// In cells, each block begins a line of its own.
std::size_t lines_of(std::size_t bytes) { return (bytes + Line::kBytes - 1) / Line::kBytes; }

// Of a slot, for each of the others.
std::size_t piece_bytes(const Node& node) { return node.slot_bytes() / others(node) / 64 * 64; }

class Scatter {
 public:
  Scatter(Node& node, Reducer& reducer, const void* in, void* out, const BlockLengths& blocks)
      : node_(node),
        reducer_(reducer),
        in_(static_cast<const std::byte*>(in)),
        out_(static_cast<std::byte*>(out)),
        blocks_(blocks),
        longest_(blocks.longest(node.size())) {}

  bool fits_cells() const { return lines_of(longest_) * others(node_) <= Cell::kLines; }

  void in_cells() {
    const Step step = node_.begin();
    const std::size_t lines = lines_of(longest_);
    for_others([&](int rank) {
      node_.write_cell(step, operand(rank), blocks_.bytes(rank), Node::Kind::kOwn,
                       place(node_, node_.rank(), rank) * lines);
    });
    alignas(64) std::byte room[2][Cell::kBytes];
    const std::size_t mine = blocks_.bytes(node_.rank());
    reduce(0, mine, [&](int rank) {
      std::byte* const arrived = room[rank == 0 ? 0 : 1];
      node_.read_cell(rank, step, arrived, mine, Node::Kind::kOwn,
                      place(node_, rank, node_.rank()) * lines);
      return arrived;
    });
    node_.all_finished(step - 1);
  }

  // The next pieces are written before the others' are waited for.
  void in_slots() {
    const Node::Exchange timed(node_, longest_ * others(node_));
    most_ = chunk();
    Step published = publish(0);
    const Step before = published - 1;
    for (std::size_t at = 0; at < longest_; at += most_) {
      const Step step = published;
      if (at + most_ < longest_) published = publish(at + most_);
      reduce(at, bytes_from(at, node_.rank()), [&](int rank) {
        node_.wait_published(rank, step);
        return node_.slot(rank, step) + place(node_, rank, node_.rank()) * most_;
      });
      node_.all_finished(std::max(before, step - 2));
    }
  }

 private:
  // Pieces of medium blocks stay in the cores' first caches from one pass over them to the next; of
  // more data, fewer pieces save signals.
  std::size_t chunk() const {
    constexpr std::size_t kMedium = 32 << 10;
    constexpr std::size_t kPiece = 4 << 10;
    return longest_ <= kMedium ? std::min(kPiece, piece_bytes(node_)) : piece_bytes(node_);
  }

  const std::byte* operand(int rank) const { return in_ + blocks_.first(rank); }

  // Of a rank's block in the pieces that begin there; none at the end of a shorter block.
  std::size_t bytes_from(std::size_t at, int rank) const {
    const std::size_t bytes = blocks_.bytes(rank);
    return std::min(most_, bytes - std::min(at, bytes));
  }

  template <typename Visit>
  void for_others(const Visit& visit) const {
    for (int i = 1; i < node_.size(); ++i) visit((node_.rank() + i) % node_.size());
  }

  Step publish(std::size_t at) {
    const Step step = node_.begin(most_ * others(node_));
    for_others([&](int rank) {
      node_.write_slot(step, place(node_, node_.rank(), rank) * most_, operand(rank) + at,
                       bytes_from(at, rank));
    });
    node_.publish(step);
    return step;
  }

  // Where the result takes the place of operands and blocks are alike, they are those of rank 0 for
  // itself, which it takes first, or those of another rank for rank 0, which have been handed over.
  template <typename Arrived>
  void reduce(std::size_t at, std::size_t bytes, const Arrived& arrived) {
    const auto from = [&](int rank) -> const std::byte* {
      return rank == node_.rank() ? operand(rank) + at : arrived(rank);
    };
    const std::byte* left = from(0);
    for (int rank = 1; rank < node_.size(); ++rank) {
      reducer_.combine(left, from(rank), out_ + at, bytes);
      left = out_ + at;
    }
  }

  Node& node_;
  Reducer& reducer_;
  const std::byte* in_;
  std::byte* out_;
  const BlockLengths& blocks_;
  std::size_t longest_;
  std::size_t most_ = 0;
};

}  // namespace

void reduce_scatter(Node& node, Reducer& reducer, const void* in, void* out,
                    const BlockLengths& blocks) {
  if (node.size() == 1) {
    if (in != out) std::memcpy(out, in, blocks.bytes(0));
    return;
  }
  Scatter scatter(node, reducer, in, out, blocks);
  if (scatter.fits_cells()) {
    scatter.in_cells();
  } else {
    scatter.in_slots();
  }
}

}  // namespace leadline::node
