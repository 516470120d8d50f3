#include "harness/coordinate.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <vector>

#include "comm/thread_world.hpp"

using namespace leadline::probe;

namespace {

void on_ranks(int ranks, const std::function<void(ThreadWorld&)>& body) {
  ThreadWorldSettings settings;
  settings.ranks = ranks;
  run_threads(settings, body);
}

}  // namespace

TEST_CASE("broadcast brings rank 0's bytes to every rank") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    std::atomic<int> right = 0;
    on_ranks(ranks, [&](World& world) {
      int value = world.rank() == 0 ? 4711 : -1;
      broadcast(world, value);
      right += value == 4711;
    });
    CHECK(right == ranks);
  }
}

TEST_CASE("reduce folds every rank's values into rank 0's, once each") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    std::vector<int> sums;
    on_ranks(ranks, [&](World& world) {
      std::vector<int> values{1, world.rank(), world.rank() * world.rank()};
      reduce(world, std::span<int>(values), take_sum<int>);
      if (world.rank() == 0) sums = values;
    });
    int linear = 0;
    int square = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      linear += rank;
      square += rank * rank;
    }
    CHECK(sums == std::vector<int>{ranks, linear, square});
  }
}

TEST_CASE("agree gives every rank the same answer") {
  std::atomic<int> right = 0;
  on_ranks(7, [&](World& world) {
    right += agree(world, 10 * ((world.rank() + 3) % 7), take_maximum<int>) == 60;
  });
  CHECK(right == 7);
}

TEST_CASE("nobody leaves a barrier before the last has come") {
  for (const int ranks : {2, 3, 5, 8, 9}) {
    std::mutex mutex;
    double last_arrival = 0.0;
    double first_departure = 1e9;
    on_ranks(ranks, [&](ThreadWorld& world) {
      world.advance(1e-3 * world.rank());
      {
        const std::lock_guard lock(mutex);
        last_arrival = std::max(last_arrival, world.true_time());
      }
      barrier(world);
      const std::lock_guard lock(mutex);
      first_departure = std::min(first_departure, world.true_time());
    });
    CHECK(first_departure >= last_arrival);
  }
}

TEST_CASE("collect brings every item to rank 0 once, in chunks no larger than asked") {
  for (const std::size_t chunk : {1U, 3U, 100U}) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      std::vector<int> seen;
      std::size_t largest = 0;
      on_ranks(ranks, [&](World& world) {
        // Rank r brings r items: 100 r, 100 r + 1, ...
        std::vector<int> own(static_cast<std::size_t>(world.rank()));
        std::iota(own.begin(), own.end(), 100 * world.rank());
        collect<int>(
            world, own,
            [&](std::span<const int> items) {
              largest = std::max(largest, items.size());
              seen.insert(seen.end(), items.begin(), items.end());
            },
            chunk);
      });
      std::sort(seen.begin(), seen.end());
      std::vector<int> expected;
      for (int rank = 0; rank < ranks; ++rank) {
        for (int i = 0; i < rank; ++i) expected.push_back(100 * rank + i);
      }
      CHECK(seen == expected);
      CHECK(largest <= chunk);
    }
  }
}

TEST_CASE("lists of all ranks come together on rank 0, by rank") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    std::vector<std::vector<int>> lists;
    std::vector<std::vector<int>> nothing;
    on_ranks(ranks, [&](World& world) {
      const std::vector<int> own(static_cast<std::size_t>(world.rank() % 3), 10 * world.rank());
      const auto all = gather_lists(world, own);
      if (world.rank() == 0) lists = all;
      const auto empty = gather_lists(world, {});
      if (world.rank() == 0) nothing = empty;
    });
    CHECK(nothing.empty());
    for (int rank = 0; rank < static_cast<int>(lists.size()); ++rank) {
      CHECK(lists[rank] == std::vector<int>(static_cast<std::size_t>(rank % 3), 10 * rank));
    }
    CHECK(lists.size() == (ranks == 1 ? 0U : static_cast<std::size_t>(ranks)));
  }
}
