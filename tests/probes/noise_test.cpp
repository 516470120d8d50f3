#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "benchmarks/node/interrupts.hpp"
#include "benchmarks/node/windows.hpp"
#include "comm/thread_world.hpp"

using namespace leadline::probe;

namespace {

constexpr double kWindow = 1e-4;
constexpr double kWork = 1e-6;
constexpr double kReading = 2e-8;  // of the simulated clock

// Runs `body` on one simulated rank, with windows whose calibration is right.
template <typename Body>
void on_one_rank(const Body& body) {
  run_threads({}, [&](ThreadWorld& world) {
    Windows windows(world, kWindow, kWork + kReading);
    body(world, windows);
  });
}

}  // namespace

TEST_CASE("a unit of work is known with the clock that is read after it") {
  on_one_rank([](ThreadWorld& world, Windows&) {
    int calls = 0;
    const auto unit = [&] { world.advance(++calls % 700 == 0 ? 1e-3 : kWork); };
    CHECK(unit_seconds(world, unit) == doctest::Approx(kWork + kReading).epsilon(1e-6));
  });
}

TEST_CASE("windows without a detour take what they take, and end on the grid") {
  on_one_rank([](ThreadWorld& world, Windows& windows) {
    const auto unit = [&] { world.advance(kWork); };
    for (int i = 0; i < 50; ++i) {
      world.advance(3e-7);  // the harness, between two calls
      windows.fill(unit);
      CHECK(windows.seconds() == doctest::Approx(kWindow).epsilon(1e-9));
      CHECK(windows.units() >= 97);
      CHECK(windows.units() <= 99);
      const double past = std::fmod(world.true_time(), kWindow);
      CHECK(past < kWork + 2 * kReading);
    }
  });
}

TEST_CASE("a detour stands on its window, to the last unit of work") {
  on_one_rank([](ThreadWorld& world, Windows& windows) {
    int calls = 0;
    const auto unit = [&] { world.advance(kWork + (++calls == 150 ? 3.3e-5 : 0.0)); };
    windows.fill(unit);
    CHECK(windows.seconds() == doctest::Approx(kWindow).epsilon(1e-9));
    windows.fill(unit);
    CHECK(windows.seconds() == doctest::Approx(kWindow + 3.3e-5).epsilon(1e-9));
    windows.fill(unit);
    CHECK(windows.seconds() == doctest::Approx(kWindow).epsilon(1e-9));
  });
}

TEST_CASE("a detour over several windows is one, and the next window is on the grid again") {
  on_one_rank([](ThreadWorld& world, Windows& windows) {
    int calls = 0;
    const auto unit = [&] { world.advance(kWork + (++calls == 150 ? 3.45e-4 : 0.0)); };
    windows.fill(unit);
    windows.fill(unit);
    CHECK(windows.seconds() == doctest::Approx(kWindow + 3.45e-4).epsilon(1e-9));
    windows.fill(unit);
    CHECK(windows.seconds() == doctest::Approx(kWindow).epsilon(1e-9));
    CHECK(std::fmod(world.true_time(), kWindow) < kWork + 2 * kReading);
    // Never less than half a window, nor more than one and a half.
    CHECK(windows.units() >= 48);
    CHECK(windows.units() <= 148);
  });
}

TEST_CASE("a core at half its pace loses half a window") {
  on_one_rank([](ThreadWorld& world, Windows& windows) {
    const auto slow = [&] { world.advance(2 * kWork + kReading); };
    windows.fill(slow);
    windows.fill(slow);
    CHECK(windows.seconds() == doctest::Approx(1.5 * kWindow).epsilon(0.02));
  });
}

TEST_CASE("the interrupts of a core are those of its column") {
  const char* table =
      "           CPU0       CPU2       \n"
      " 24:          1         10  IO-APIC   5-edge      ACPI:Ged\n"
      "LOC:    1000000    2000000   Local timer interrupts\n"
      "RES:          5          7   Rescheduling interrupts\n"
      "ERR:          3\n";
  const auto of = [&](int cpu) {
    std::istringstream text(table);
    return interrupts_of(text, cpu);
  };
  REQUIRE(of(2).has_value());
  CHECK(of(2)->all == 2000017.0);
  CHECK(of(2)->timer == 2000000.0);
  CHECK(of(0)->all == 1000006.0);
  CHECK(!of(1).has_value());
  std::istringstream nothing;
  CHECK(!interrupts_of(nothing, 0).has_value());
}
