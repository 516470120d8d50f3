// How long a node that is made up computes for each call, an interval after the other.
#pragma once

#include <cmath>
#include <random>

#include "runtime/explain/watch/pace.hpp"

namespace leadline::explain {

constexpr double kEvery = 2;

class Series {
 public:
  Series(unsigned seed, double noise) : random_(seed), noise_(0, noise) {}

  // So many times as long as usual, and a little more or less; half of the time, or what others
  // leave.
  Interval next(double at_s, double factor) {
    constexpr double kCost = 1e-3;
    const double cost = kCost * factor * std::exp(noise_(random_));
    const double computing = kEvery * factor / (1 + factor);
    return {
        .begun_s = at_s, .lasted_s = kEvery, .computing_s = computing, .calls = computing / cost};
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> noise_;
};

}  // namespace leadline::explain
