// Who plays with whom: everybody at most once, and each distance what it says.
#include "benchmarks/mpi/pairing.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <set>

using namespace leadline::probe;

namespace {

using Set = std::set<std::pair<int, int>>;

Set set_of(const std::string& distance, int ranks, std::uint64_t seed = 1) {
  Set found;
  for (const Pair& pair : pairs_of(distance, ranks, seed)) found.insert({pair.first, pair.second});
  return found;
}

}  // namespace

TEST_CASE("nobody plays twice, and at most one rank is left over") {
  for (const std::string distance : {"neighbours", "half", "random", "bisection"}) {
    for (int ranks = 1; ranks <= 33; ++ranks) {
      std::set<int> players;
      for (const Pair& pair : pairs_of(distance, ranks, 5)) {
        for (const int rank : {pair.first, pair.second}) {
          CHECK(rank >= 0);
          CHECK(rank < ranks);
          players.insert(rank);
        }
      }
      CHECK(players.size() == static_cast<std::size_t>(ranks / 2 * 2));
    }
  }
}

TEST_CASE("the distances are as they are called") {
  CHECK(set_of("neighbours", 6) == Set{{0, 1}, {2, 3}, {4, 5}});
  CHECK(set_of("half", 6) == Set{{0, 3}, {1, 4}, {2, 5}});
  CHECK(set_of("bisection", 6) == Set{{0, 5}, {1, 4}, {2, 3}});
}

TEST_CASE("four ranks are paired in each of the three ways there are") {
  CHECK(set_of("neighbours", 4) == Set{{0, 1}, {2, 3}});
  CHECK(set_of("half", 4) == Set{{0, 2}, {1, 3}});
  CHECK(set_of("bisection", 4) == Set{{0, 3}, {1, 2}});
}

TEST_CASE("random pairs are the same for a seed, and others for another") {
  CHECK(set_of("random", 64, 9) == set_of("random", 64, 9));
  std::set<Set> drawn;
  for (std::uint64_t seed = 0; seed < 20; ++seed) drawn.insert(set_of("random", 64, seed));
  CHECK(drawn.size() == 20);
}

TEST_CASE("random pairs are drawn evenly") {
  // Each of 5 partners of rank 0 is as likely: 1000 on average, standard deviation 28.
  std::array<int, 6> met{};
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    for (const auto& [first, second] : set_of("random", 6, seed)) {
      if (first == 0) ++met.at(static_cast<std::size_t>(second));
      if (second == 0) ++met.at(static_cast<std::size_t>(first));
    }
  }
  for (std::size_t rank = 1; rank < met.size(); ++rank) CHECK(std::abs(met.at(rank) - 1000) < 140);
}

TEST_CASE("an unknown distance is refused by name") {
  CHECK_THROWS_WITH(pairs_of("far", 4, 1), "distance=far is none of mpi/pairs");
}
