// What benchmarks of collectives with blocks of different sizes share.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {

// How the sizes of the ranks' blocks differ; their mean is the point's `bytes`, but for rounding.
Axis imbalance_axis();

// As MPI counts: one block for each rank, one after the other.
struct UnevenLayout {
  std::vector<int> counts;
  std::vector<int> offsets;
};

// Unavailable where MPI's int cannot count the bytes of all.
UnevenLayout layout_of(const Point& point);

// Source and destination of a rank's block.
using Ends = std::pair<int, int>;

template <typename EndsOf>
std::vector<Block> blocks_of(const UnevenLayout& layout, const EndsOf& ends_of) {
  std::vector<Block> blocks;
  for (std::size_t rank = 0; rank < layout.counts.size(); ++rank) {
    const auto [source, destination] = ends_of(static_cast<int>(rank));
    blocks.push_back({static_cast<std::size_t>(layout.offsets[rank]),
                      static_cast<std::size_t>(layout.counts[rank]), source, destination});
  }
  return blocks;
}

}  // namespace leadline::probe
