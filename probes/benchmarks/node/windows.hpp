// Fixed time quanta: how much work is done until the clock shows the next point of a grid
// (Sottile and Minnich, CLUSTER 2004). The grid is the same for all ranks that share a clock.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/world.hpp"

namespace leadline::probe {

// What a unit of work takes, in seconds, the look at the clock that ends it included: the shortest
// of several stretches counts.
template <typename Unit>
double unit_seconds(const World& world, const Unit& unit) {
  constexpr int kUnits = 100;
  constexpr int kTries = 50;
  double shortest = std::numeric_limits<double>::max();
  for (int i = 0; i < kTries; ++i) {
    const double begin = world.now();
    double end = begin;
    for (int done = 0; done < kUnits; ++done) {
      unit();
      end = world.now();
    }
    shortest = std::min(shortest, (end - begin) / kUnits);
  }
  return shortest;
}

class Windows {
 public:
  // Of `seconds` each; a unit of work takes `unit` seconds on a core that nothing disturbs.
  Windows(const World& world, double seconds, double unit)
      : world_(world), seconds_(seconds), unit_(unit) {}

  // Does units of work until the window ends that is under way, or the next one where less than
  // half of it is left. What holds the core up beyond the end is part of this window, whole.
  template <typename Unit>
  void fill(const Unit& unit) {
    const double begin = world_.now();
    const double end = std::ceil(begin / seconds_ + 0.5) * seconds_;
    double now = begin;
    units_ = 0;
    do {
      unit();
      ++units_;
      now = world_.now();
    } while (now < end);
    lost_ = now - begin - static_cast<double>(units_) * unit_;
  }

  std::uint64_t units() const { return units_; }
  // The window, and what the units of work that it lacks would have taken.
  double seconds() const { return seconds_ + lost_; }

 private:
  const World& world_;
  double seconds_;
  double unit_;
  std::uint64_t units_ = 0;
  double lost_ = 0.0;
};

}  // namespace leadline::probe
