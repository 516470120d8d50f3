// The parts of the ranks in data that all of them work on.
#pragma once

#include <algorithm>
#include <cstddef>

namespace leadline::node {

// A rank's share of a chunk; some are empty at the end.
struct Part {
  std::size_t first;
  std::size_t bytes;
};

inline Part part_of(int rank, int size, std::size_t bytes, std::size_t element_bytes) {
  // Whole cache lines and whole elements.
  const std::size_t unit = std::max<std::size_t>(64, element_bytes);
  const auto ranks = static_cast<std::size_t>(size);
  const std::size_t each = (bytes + ranks * unit - 1) / (ranks * unit) * unit;
  const std::size_t first = std::min(bytes, each * static_cast<std::size_t>(rank));
  return {.first = first, .bytes = std::min(each, bytes - first)};
}

}  // namespace leadline::node
