#include "runtime/messages/layout.hpp"

#include <algorithm>

namespace leadline::runtime {
namespace {

// So many blocks at one distance are worth a run of their own.
constexpr std::size_t kWorthARun = 8;

std::ptrdiff_t end_of(const Block& block) {
  return block.offset + static_cast<std::ptrdiff_t>(block.bytes);
}

void list(Run& run, std::vector<std::ptrdiff_t>& offsets) {
  run.listed = offsets.size();
  for (std::size_t i = 0; i < run.blocks; ++i) {
    offsets.push_back(run.offset + static_cast<std::ptrdiff_t>(i) * run.distance);
  }
}

// Whether the run takes the block.
bool extend(Run& run, const Block& block, std::vector<std::ptrdiff_t>& offsets) {
  if (run.bytes != block.bytes) return false;
  if (run.listed == Run::kNone) {
    if (run.blocks == 1) run.distance = block.offset - run.offset;
    const auto next = run.offset + static_cast<std::ptrdiff_t>(run.blocks) * run.distance;
    if (block.offset == next) {
      ++run.blocks;
      return true;
    }
    if (run.blocks >= kWorthARun) return false;
    list(run, offsets);
  }
  offsets.push_back(block.offset);
  ++run.blocks;
  return true;
}

}  // namespace

bool Blocks::add(Block block) {
  if (block.bytes == 0) return true;
  if (!all_.empty() && end_of(all_.back()) == block.offset) {
    all_.back().bytes += block.bytes;
    return true;
  }
  if (all_.size() == kMost) return false;
  all_.push_back(block);
  return true;
}

bool Blocks::add(const Blocks& other, std::ptrdiff_t offset, std::size_t times,
                 std::ptrdiff_t distance) {
  if (other.all_.empty()) return true;
  const Block& first = other.all_.front();
  if (other.all_.size() == 1 && distance == static_cast<std::ptrdiff_t>(first.bytes)) {
    return add({.offset = offset + first.offset, .bytes = first.bytes * times});
  }
  for (std::size_t i = 0; i < times; ++i, offset += distance) {
    for (const Block& block : other.all_) {
      if (!add({.offset = offset + block.offset, .bytes = block.bytes})) return false;
    }
  }
  return true;
}

Layout::Layout(const Blocks& blocks, std::ptrdiff_t distance) : extent(distance) {
  for (const Block& block : blocks.all()) {
    least_offset = bytes == 0 ? block.offset : std::min(least_offset, block.offset);
    bytes += block.bytes;
    longest_block = std::max(longest_block, block.bytes);
    if (!runs.empty() && extend(runs.back(), block, offsets)) continue;
    runs.push_back({.offset = block.offset,
                    .bytes = block.bytes,
                    .blocks = 1,
                    .distance = 0,
                    .listed = Run::kNone});
  }
}

}  // namespace leadline::runtime
