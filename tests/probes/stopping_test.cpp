#include "harness/stopping.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace leadline::probe;

namespace {

Histogram filled(const std::vector<double>& times) {
  Histogram histogram;
  for (const double time : times) histogram.add(time);
  return histogram;
}

}  // namespace

TEST_CASE("a histogram's order statistics are within a bin of the samples'") {
  std::mt19937_64 generator(1);
  std::lognormal_distribution<double> draw(std::log(3e-6), 1.5);
  std::vector<double> times(5001);
  for (double& time : times) time = draw(generator);
  const Histogram histogram = filled(times);
  std::sort(times.begin(), times.end());
  for (const std::size_t position : {0U, 1U, 100U, 2500U, 4999U, 5000U}) {
    CHECK(histogram.at(position) == doctest::Approx(times[position]).epsilon(1e-3));
  }
  CHECK(histogram.median() == doctest::Approx(times[2500]).epsilon(1e-3));
}

TEST_CASE("times beyond the histogram's range count at its ends") {
  const Histogram histogram = filled({0.0, -1.0, 1e9});
  CHECK(histogram.count() == 3);
  CHECK(histogram.at(0) < 2e-10);
  CHECK(histogram.at(2) > 8000.0);
}

TEST_CASE("the interval of the median covers it about 95 times in 100") {
  std::mt19937_64 generator(2);
  std::lognormal_distribution<double> draw(0.0, 0.5);  // median 1
  for (const int count : {20, 57, 400}) {
    int covered = 0;
    for (int i = 0; i < 2000; ++i) {
      Histogram histogram;
      for (int n = 0; n < count; ++n) histogram.add(draw(generator));
      const Interval interval = histogram.median_interval();
      covered += interval.low <= 1.001 && interval.high >= 0.999;
    }
    CHECK(covered >= 0.94 * 2000);
    CHECK(covered <= 0.99 * 2000);
  }
}

TEST_CASE("precision stops only when the interval is narrow and the minimum is in") {
  StoppingLimits limits;
  limits.precision = 0.02;
  limits.minimum = 20;
  const Histogram steady = filled(std::vector<double>(20, 1e-6));
  CHECK(judge(limits, steady, 20, 0.0) == Verdict::kPrecision);
  const Histogram few = filled(std::vector<double>(19, 1e-6));
  CHECK(judge(limits, few, 19, 0.0) == Verdict::kContinue);

  std::vector<double> two_modes(40, 1e-6);
  std::fill(two_modes.begin() + 20, two_modes.end(), 2e-6);
  CHECK(judge(limits, filled(two_modes), 40, 0.0) == Verdict::kContinue);
}

TEST_CASE("count and time end what does not become precise") {
  StoppingLimits limits;
  limits.maximum = 100;
  limits.seconds = 0.5;
  std::vector<double> wild;
  for (int i = 0; i < 50; ++i) wild.push_back(1e-6 * (1 + i));
  const Histogram times = filled(wild);
  CHECK(judge(limits, times, 50, 0.1) == Verdict::kContinue);
  CHECK(judge(limits, times, 100, 0.1) == Verdict::kMaximum);
  CHECK(judge(limits, times, 50, 0.5) == Verdict::kSeconds);
  CHECK(judge(limits, Histogram(), 50, 0.6) == Verdict::kSeconds);
}

TEST_CASE("a chunk overruns neither the maximum nor the time") {
  StoppingLimits limits;
  limits.minimum = 20;
  limits.maximum = 1000;
  limits.seconds = 1.0;
  CHECK(next_chunk(limits, 0, 0.0, 1e-6, 4096) == 20);
  CHECK(next_chunk(limits, 400, 0.1, 1e-6, 4096) == 200);
  CHECK(next_chunk(limits, 990, 0.1, 1e-6, 4096) == 10);
  CHECK(next_chunk(limits, 0, 0.0, 0.3, 4096) == 4);
  CHECK(next_chunk(limits, 0, 0.0, 10.0, 4096) == 1);
  limits.minimum = 1000000;
  limits.maximum = 2000000;
  limits.seconds = 1e6;
  CHECK(next_chunk(limits, 0, 0.0, 1e-6, 4096) == 4096);
}
