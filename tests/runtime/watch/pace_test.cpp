#include "runtime/explain/watch/pace.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "tests/runtime/watch/series.hpp"

namespace leadline::explain {
namespace {

// What is seen of so many intervals, and when.
struct Found {
  std::optional<Slowness> first;
  double at_s = 0;
  Pace pace;
};

Found watched(unsigned seed, double noise, int intervals,
              const std::function<double(double)>& factor) {
  Series series(seed, noise);
  Found found;
  for (int each = 0; each < intervals; ++each) {
    const double at_s = kEvery * each;
    found.pace.add(series.next(at_s, factor(at_s)));
    if (found.pace.slowness() && !found.first) {
      found.first = found.pace.slowness();
      found.at_s = at_s + kEvery;
    }
  }
  return found;
}

double usual(double) { return 1; }

}  // namespace

TEST_CASE("a node that turns slow is seen within 20 s, and since when") {
  for (const double noise : {0.05, 0.1}) {
    int missed = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
      const double since_s = 100 + 2.0 * (seed % 100);
      const auto factor = [&](double at_s) { return at_s >= since_s ? 1.7 : 1.0; };
      const Found found = watched(seed, noise, 250, factor);
      if (!found.first || found.at_s > since_s + 20) {
        ++missed;
        continue;
      }
      CHECK(std::abs(found.first->since_s - since_s) <= 8);
      CHECK(found.first->factor == doctest::Approx(1.7).epsilon(0.15));
    }
    CHECK(missed <= 10);
  }
}

TEST_CASE("its end is seen, too") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const auto factor = [](double at_s) { return at_s >= 200 && at_s < 300 ? 1.7 : 1.0; };
    const Found found = watched(seed, 0.05, 200, factor);
    REQUIRE(found.pace.slowness().has_value());
    REQUIRE(found.pace.slowness()->until_s.has_value());
    CHECK(std::abs(*found.pace.slowness()->until_s - 300) <= 4);
  }
}

TEST_CASE("noise, slow ramps, short stalls and what comes again and again are no slowness") {
  const std::function<double(double)> harmless[] = {
      usual,
      [](double at_s) { return 1 + at_s / 1000; },
      [](double at_s) { return std::fmod(at_s, 100) < 6 ? 3.0 : 1.0; },
      [](double at_s) { return std::fmod(at_s, 80) < 40 ? 1.6 : 1.0; },
  };
  for (const auto& factor : harmless) {
    int alarms = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      alarms += watched(seed, 0.1, 300, factor).first ? 1 : 0;
    }
    CHECK(alarms <= 1);
  }
}

TEST_CASE("where the past shows nothing usual, nothing is said") {
  const auto factor = [](double at_s) { return at_s >= 200 ? 1.7 : 1.0; };
  for (unsigned seed = 0; seed < 100; ++seed) CHECK(!watched(seed, 0.5, 200, factor).first);
  CHECK(!watched(1, 0.05, 30, [](double at_s) { return at_s >= 20 ? 1.7 : 1.0; }).first);
}

TEST_CASE("a node says that it computes as before only where it does") {
  const auto half = [](double at_s) { return at_s >= 200 ? 1.4 : 1.0; };
  for (unsigned seed = 0; seed < 100; ++seed) {
    CHECK(watched(seed, 0.05, 106, usual).pace.is_as_before(200, 1.7));
    CHECK(!watched(seed, 0.05, 106, half).pace.is_as_before(200, 1.7));
    CHECK(!watched(seed, 0.05, 10, usual).pace.is_as_before(0, 1.7));
  }
}

}  // namespace leadline::explain
