// The loops over blocks. Those of the usual lengths are moved by single instructions.
#include <algorithm>
#include <cstring>

#include "runtime/messages/layout.hpp"

namespace leadline::runtime {
namespace {

struct Pack {
  static void move(std::byte* in_elements, std::byte* packed, std::size_t bytes) {
    std::memcpy(packed, in_elements, bytes);
  }
};

struct Unpack {
  static void move(std::byte* in_elements, std::byte* packed, std::size_t bytes) {
    std::memcpy(in_elements, packed, bytes);
  }
};

template <typename Direction, std::size_t kBytes>
void move_blocks(const Run& run, const std::ptrdiff_t* offsets, std::byte* base, std::byte* packed,
                 std::size_t blocks) {
  const std::size_t bytes = kBytes != 0 ? kBytes : run.bytes;
  if (offsets != nullptr) {
    for (std::size_t i = 0; i < blocks; ++i, packed += bytes) {
      Direction::move(base + offsets[i], packed, bytes);
    }
    return;
  }
  std::byte* at = base + run.offset;
  for (std::size_t i = 0; i < blocks; ++i, packed += bytes) {
    Direction::move(at, packed, bytes);
    at += run.distance;
  }
}

// The first `bytes` of one run, of which the last block may be a part.
template <typename Direction>
void move_run(const Run& run, const std::ptrdiff_t* all_offsets, std::byte* base, std::byte* packed,
              std::size_t bytes) {
  const std::size_t blocks = bytes / run.bytes;
  const std::ptrdiff_t* offsets = run.listed != Run::kNone ? all_offsets + run.listed : nullptr;
  const auto move = [&] {
    switch (run.bytes) {
      case 4:
        return move_blocks<Direction, 4>;
      case 8:
        return move_blocks<Direction, 8>;
      case 16:
        return move_blocks<Direction, 16>;
      case 32:
        return move_blocks<Direction, 32>;
      case 64:
        return move_blocks<Direction, 64>;
      default:
        return move_blocks<Direction, 0>;
    }
  }();
  move(run, offsets, base, packed, blocks);
  const std::size_t rest = bytes - blocks * run.bytes;
  if (rest == 0) return;
  const std::ptrdiff_t offset =
      offsets != nullptr ? offsets[blocks]
                         : run.offset + static_cast<std::ptrdiff_t>(blocks) * run.distance;
  Direction::move(base + offset, packed + (bytes - rest), rest);
}

template <typename Direction>
void move_all(const Layout& layout, std::byte* base, std::byte* packed, std::size_t bytes) {
  if (layout.bytes == 0) return;
  // Elements of one block are a run themselves.
  if (layout.runs.size() == 1 && layout.runs[0].blocks == 1) {
    Run run = layout.runs[0];
    run.distance = layout.extent;
    return move_run<Direction>(run, nullptr, base, packed, bytes);
  }
  for (; bytes > 0; base += layout.extent) {
    for (const Run& run : layout.runs) {
      const std::size_t now = std::min(bytes, run.bytes * run.blocks);
      move_run<Direction>(run, layout.offsets.data(), base, packed, now);
      packed += now;
      bytes -= now;
      if (bytes == 0) return;
    }
  }
}

}  // namespace

void pack(const Layout& layout, const void* elements, void* packed, std::size_t bytes) {
  move_all<Pack>(layout, static_cast<std::byte*>(const_cast<void*>(elements)),
                 static_cast<std::byte*>(packed), bytes);
}

void unpack(const Layout& layout, const void* packed, void* elements, std::size_t bytes) {
  move_all<Unpack>(layout, static_cast<std::byte*>(elements),
                   static_cast<std::byte*>(const_cast<void*>(packed)), bytes);
}

}  // namespace leadline::runtime
