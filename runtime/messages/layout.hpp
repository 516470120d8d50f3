// Where the data of a datatype lie, as a few runs of equal blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace leadline::runtime {

// Bytes without a gap, from where the buffer begins.
struct Block {
  std::ptrdiff_t offset;
  std::size_t bytes;
};

// Blocks of a datatype in the order of its type map; neighbours become one.
class Blocks {
 public:
  // No datatype of the program's is worth more.
  static constexpr std::size_t kMost = std::size_t{1} << 17;

  // False where there is no room.
  bool add(Block block);
  // So many of `other`, one after the other at this distance, from `offset` on.
  bool add(const Blocks& other, std::ptrdiff_t offset, std::size_t times, std::ptrdiff_t distance);

  const std::vector<Block>& all() const { return all_; }

 private:
  std::vector<Block> all_;
};

// Blocks of equal length: at a fixed distance, or where a list says.
struct Run {
  std::ptrdiff_t offset;  // of the first
  std::size_t bytes;      // of each
  std::size_t blocks;
  std::ptrdiff_t distance;
  std::size_t listed;  // where its offsets begin in the list, or kNone

  static constexpr std::size_t kNone = SIZE_MAX;
};

struct Layout {
  // Of a datatype whose elements lie `extent` apart.
  Layout(const Blocks& blocks, std::ptrdiff_t extent);

  std::size_t bytes = 0;  // of one element's data
  std::ptrdiff_t extent = 0;
  std::ptrdiff_t least_offset = 0;
  std::size_t longest_block = 0;
  std::vector<Run> runs;
  std::vector<std::ptrdiff_t> offsets;

  // No gap in any number of elements.
  bool dense() const {
    return bytes == 0 || (runs.size() == 1 && runs[0].blocks == 1 && runs[0].offset == 0 &&
                          extent == static_cast<std::ptrdiff_t>(bytes));
  }
};

// Copies the first `bytes` of the data of elements at `elements` to or from where they lie one
// after the other.
void pack(const Layout& layout, const void* elements, void* packed, std::size_t bytes);
void unpack(const Layout& layout, const void* packed, void* elements, std::size_t bytes);

}  // namespace leadline::runtime
