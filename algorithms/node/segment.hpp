// Memory that the ranks of a node share, a part for each of them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace leadline::node {

class Segment {
 public:
  // None, where memory cannot be shared.
  Segment() = default;
  // One mapping at `memory`, with so many bytes for each rank in turn. It is unmapped with the
  // segment.
  Segment(std::byte* memory, std::size_t bytes_per_rank, int ranks);
  // Somebody else's memory: where each rank's part begins.
  explicit Segment(std::vector<std::byte*> parts);

  bool empty() const { return parts_.empty(); }
  std::byte* of(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const;
  };

  std::unique_ptr<std::byte, Unmap> mapping_;
  std::vector<std::byte*> parts_;
};

}  // namespace leadline::node
