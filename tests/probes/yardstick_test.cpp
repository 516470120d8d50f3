#include "harness/yardstick.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

#include "comm/thread_world.hpp"
#include "harness/shared_page.hpp"

using namespace leadline::probe;

namespace {

std::vector<Reading> measured(const ThreadWorldSettings& settings, std::uint64_t seed,
                              double between) {
  std::vector<Reading> found;
  run_threads(settings, [&](ThreadWorld& world) {
    Yardsticks yardsticks(world, seed);
    for (int i = 0; i < 2; ++i) {
      const Reading each = yardsticks.measure();
      if (world.rank() == 0) found.push_back(each);
      world.advance(between);
    }
  });
  return found;
}

}  // namespace

TEST_CASE("a line that ranks of a node share is one line, and each node has its own") {
  run_threads({.ranks = 6, .nodes = 2}, [](ThreadWorld& world) {
    const SharedPage page(world, 3);
    REQUIRE(page.is_shared());
    SharedPage::Word& word = page.word(1);
    word.fetch_add(static_cast<std::uint64_t>(1 + world.node()));
    const std::uint64_t all = 3 * static_cast<std::uint64_t>(1 + world.node());
    while (word.load() < all) std::this_thread::yield();
    CHECK(word.load() == all);
    CHECK(page.word(2).load() == 0);
  });
}

TEST_CASE("bytes that ranks share lie beside the lines") {
  run_threads({.ranks = 2, .nodes = 1}, [](ThreadWorld& world) {
    constexpr std::size_t kBytes = 10000;
    const SharedPage page(world, 2, kBytes);
    REQUIRE(page.is_shared());
    if (world.rank() == 0) {
      std::fill_n(page.data(), kBytes, std::byte{7});
      page.word(1).store(1);
    }
    while (page.word(1).load() < 1) std::this_thread::yield();
    CHECK(std::count(page.data(), page.data() + kBytes, std::byte{7}) == kBytes);
    CHECK(page.word(0).load() == 0);
  });
}

TEST_CASE("a spell shows in the round trip alone, from when it begins") {
  const ThreadWorldSettings settings{
      .ranks = 2, .spell_share = 1.0, .spell_times = 3.0, .spell_after = 0.5};
  const auto found = measured(settings, 1, 1.0);
  CHECK(found[1].round_trip == doctest::Approx(3.0 * found[0].round_trip));
  CHECK(found[1].copy_rate == doctest::Approx(found[0].copy_rate));
  CHECK(found[1].work == doctest::Approx(found[0].work));
}

TEST_CASE("a spell is met by its share of the launches") {
  const ThreadWorldSettings settings{.ranks = 2, .spell_share = 0.25, .spell_times = 3.0};
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    run_threads(settings, [&](ThreadWorld& world) {
      if (world.rank() == 0 && world.slowness(seed) == settings.spell_times) ++met;
    });
  }
  CHECK(met > 30);
  CHECK(met < 70);
}

TEST_CASE("a yardstick is due after a while, and where all together took little") {
  run_threads({.ranks = 3}, [](ThreadWorld& world) {
    Yardsticks yardsticks(world, 1);
    CHECK_FALSE(yardsticks.due());
    world.advance(0.1);
    CHECK(yardsticks.due());
    yardsticks.measure();
    CHECK_FALSE(yardsticks.due());
  });
}
