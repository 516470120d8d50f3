#include "algorithms/node/segment.hpp"

#include <sys/mman.h>

#include <utility>

namespace leadline::node {

Segment::Segment(std::byte* memory, std::size_t bytes_per_rank, int ranks)
    : mapping_(memory, Unmap{bytes_per_rank * static_cast<std::size_t>(ranks)}) {
  for (int rank = 0; rank < ranks; ++rank) {
    parts_.push_back(memory + static_cast<std::size_t>(rank) * bytes_per_rank);
  }
}

Segment::Segment(std::vector<std::byte*> parts) : parts_(std::move(parts)) {}

void Segment::Unmap::operator()(std::byte* memory) const { munmap(memory, bytes); }

}  // namespace leadline::node
