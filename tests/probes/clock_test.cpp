#include "harness/clock.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <mutex>

#include "comm/thread_world.hpp"

using namespace leadline::probe;

namespace {

struct Worst {
  double error = 0.0;         // of the mapping, against the simulation's true time
  double beyond_bound = 0.0;  // by which it exceeds the stated bound
  double bound = 0.0;
};

// Synchronises, lets `wait` seconds pass, synchronises again where asked, waits once more, and
// compares every rank's global time with the truth, which is rank 0's clock.
Worst synchronised(const ThreadWorldSettings& settings, double wait, bool twice) {
  Worst worst;
  std::mutex mutex;
  run_threads(settings, [&](ThreadWorld& world) {
    GlobalClock clock;
    clock.synchronise(world);
    if (twice) {
      world.advance(wait);
      clock.synchronise(world);
    }
    world.advance(wait);
    const double local = world.now();
    const double error = std::abs(clock.to_global(local) - world.true_time());
    const std::lock_guard lock(mutex);
    worst.error = std::max(worst.error, error);
    worst.bound = std::max(worst.bound, clock.error(local));
    worst.beyond_bound = std::max(worst.beyond_bound, error - clock.error(local));
  });
  return worst;
}

}  // namespace

TEST_CASE("ranks of one node share a clock and know it") {
  const ThreadWorldSettings settings{.ranks = 6};
  const Worst worst = synchronised(settings, 1.0, false);
  CHECK(worst.error == 0.0);
  CHECK(worst.bound == 0.0);
}

TEST_CASE("ranks that share a clock can synchronise by messages all the same, to test it") {
  const ThreadWorldSettings settings{.ranks = 5, .asymmetry = 0.5};
  run_threads(settings, [](ThreadWorld& world) {
    GlobalClock clock;
    clock.synchronise(world, false);
    const double local = world.now();
    const double tested = std::abs(clock.to_global(local) - local);
    CHECK((tested > 1e-7) == (world.rank() > 0));
    CHECK(tested <= clock.error(local));
  });
}

TEST_CASE("the error of synchronising is tested where the truth is known") {
  for (const int nodes : {1, 3}) {
    const ThreadWorldSettings settings{
        .ranks = 6, .nodes = nodes, .clock_offset = 1000.0, .asymmetry = 0.5};
    run_threads(settings, [](ThreadWorld& world) {
      const double tested = tested_error(world);
      CHECK(tested > 1e-7);
      CHECK(tested < 2e-6);
    });
  }
  run_threads({}, [](ThreadWorld& world) { CHECK(std::isnan(tested_error(world))); });
}

TEST_CASE("nodes whose clocks are far apart agree to within the stated error") {
  for (const int nodes : {2, 3, 5, 8, 16}) {
    const ThreadWorldSettings settings{.ranks = 2 * nodes, .nodes = nodes, .clock_offset = 0.3};
    const Worst worst = synchronised(settings, 0.0, false);
    CHECK(worst.beyond_bound <= 0.0);
    // A symmetric way: only reading the clock stands between the estimate and the truth.
    CHECK(worst.error < 1e-7 * std::log2(nodes) + 1e-7);
    // log2(nodes) hops of half a round trip each, with its clock readings.
    CHECK(worst.bound < 1.2e-6 * std::ceil(std::log2(nodes)));
  }
}

TEST_CASE("an asymmetric way stays within the bound") {
  const ThreadWorldSettings settings{
      .ranks = 8, .nodes = 8, .clock_offset = -1.0, .asymmetry = 0.9};
  const Worst worst = synchronised(settings, 0.0, false);
  CHECK(worst.error > 1e-7);
  CHECK(worst.beyond_bound <= 0.0);
}

TEST_CASE("drift is bounded after one synchronisation and removed after two") {
  const ThreadWorldSettings settings{
      .ranks = 4, .nodes = 4, .clock_offset = 0.2, .clock_drift = 2e-6};
  const Worst once = synchronised(settings, 10.0, false);
  CHECK(once.error > 2e-5);
  CHECK(once.beyond_bound <= 0.0);
  const Worst twice = synchronised(settings, 10.0, true);
  CHECK(twice.error < 0.05 * once.error);
  CHECK(twice.beyond_bound <= 0.0);
  CHECK(twice.bound < 0.05 * once.bound);
}

TEST_CASE("to_local is the inverse of to_global") {
  const ThreadWorldSettings settings{
      .ranks = 2, .nodes = 2, .clock_offset = 5.0, .clock_drift = 1e-5};
  run_threads(settings, [](ThreadWorld& world) {
    GlobalClock clock;
    clock.synchronise(world);
    world.advance(1.0);
    clock.synchronise(world);
    const double local = world.now();
    CHECK(clock.to_local(clock.to_global(local)) == doctest::Approx(local).epsilon(1e-12));
  });
}

TEST_CASE("the clock's cost and step are found") {
  const ThreadWorldSettings settings{.clock_reading = 3e-8};
  run_threads(settings, [](ThreadWorld& world) {
    const ClockQuality quality = measure_clock(world);
    CHECK(quality.overhead == doctest::Approx(3e-8).epsilon(1e-6));
    CHECK(quality.resolution == doctest::Approx(3e-8).epsilon(1e-3));
  });
}
