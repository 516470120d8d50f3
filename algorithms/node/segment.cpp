#include "algorithms/node/segment.hpp"

#include <sys/mman.h>

#include <utility>

namespace leadline::node {

bool populate(std::byte* memory, std::size_t bytes) {
#ifndef MADV_POPULATE_WRITE
  constexpr int MADV_POPULATE_WRITE = 23;  // headers before glibc 2.35
#endif
  return madvise(memory, bytes, MADV_POPULATE_WRITE) == 0;
}

Segment::Segment(std::byte* memory, std::size_t bytes_per_rank, int ranks)
    : mapping_(memory, Unmap{bytes_per_rank * static_cast<std::size_t>(ranks)}) {
  for (int rank = 0; rank < ranks; ++rank) {
    parts_.push_back(memory + static_cast<std::size_t>(rank) * bytes_per_rank);
  }
}

Segment::Segment(std::vector<std::byte*> parts) : parts_(std::move(parts)) {}

bool Segment::reserve(int rank, std::size_t bytes) {
  if (bytes <= reserved_) return true;
  if (!populate(of(rank) + reserved_, bytes - reserved_)) return false;
  reserved_ = bytes;
  return true;
}

void Segment::Unmap::operator()(std::byte* memory) const { munmap(memory, bytes); }

}  // namespace leadline::node
