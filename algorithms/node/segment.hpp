// Memory that the ranks of a node share, a part for each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace leadline::node {

// Makes sure that memory, which begins with a page, is there to be written: a full file system
// shows now, and not at a write, where it would end the program. False where the kernel cannot do
// so (before Linux 5.14), too.
bool populate(std::byte* memory, std::size_t bytes);

class Segment {
 public:
  // None, where memory cannot be shared.
  Segment() = default;
  // One mapping at `memory`, with so many bytes for each rank in turn, which is unmapped with the
  // segment.
  Segment(std::byte* memory, std::size_t bytes_per_rank, int ranks);
  // Somebody else's memory: where each rank's part begins.
  explicit Segment(std::vector<std::byte*> parts);

  bool empty() const { return parts_.empty(); }
  std::byte* of(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }

  // How much of this rank's own part is there to be written: all of it, unless less, in whole
  // pages, was said to be.
  std::size_t reserved() const { return reserved_; }
  void set_reserved(std::size_t bytes) { reserved_ = bytes; }
  // Asks for so many bytes in all. Whether they are there.
  bool reserve(int rank, std::size_t bytes);

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const;
  };

  std::shared_ptr<std::byte> mapping_;
  std::vector<std::byte*> parts_;
  std::size_t reserved_ = SIZE_MAX;
};

}  // namespace leadline::node
