// What the operating system and the hypervisor do to this rank while it measures.
#pragma once

#include "harness/record.hpp"
#include "harness/world.hpp"

namespace leadline::probe {

class Disturbances {
 public:
  explicit Disturbances(World& world) : world_(world) {}

  // What happened before is nobody's.
  void forget();
  // Gives the sample all that has happened since the one before or `forget`: flags, page faults,
  // seconds waited for a core.
  void note(Sample& sample);

 private:
  World& world_;
  // As they were last read.
  Counters counters_;
  double waited_ = 0.0;
  double stolen_ = 0.0;
};

}  // namespace leadline::probe
