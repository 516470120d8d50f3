// Who plays with whom when many pairs of ranks play at once. Nothing here needs MPI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/content.hpp"

namespace leadline::probe {

struct Pair {
  int first;
  int second;
};

// As many pairs as `ranks` allow; k of them are the first k. `seed` draws the random ones, and is
// the same on all ranks.
inline std::vector<Pair> pairs_of(const std::string& distance, int ranks, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  if (distance == "random") {
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[scatter(content_word(seed, i)) % i]);
    }
  } else if (distance != "neighbours" && distance != "half" && distance != "bisection") {
    throw std::invalid_argument("distance=" + distance + " is none of mpi/pairs");
  }
  std::vector<Pair> pairs;
  const int half = ranks / 2;
  for (int i = 0; i < half; ++i) {
    if (distance == "half") {
      pairs.push_back({i, i + half});
    } else if (distance == "bisection") {
      pairs.push_back({i, ranks - 1 - i});
    } else {
      const auto place = 2 * static_cast<std::size_t>(i);
      pairs.push_back({order[place], order[place + 1]});
    }
  }
  return pairs;
}

}  // namespace leadline::probe
