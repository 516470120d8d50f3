// One time for all ranks, with its error stated.
#pragma once

#include "harness/world.hpp"

namespace leadline::probe {

// What a clock can tell: the smallest step seen, and what one reading costs (both in seconds).
struct ClockQuality {
  double resolution;
  double overhead;
};

ClockQuality measure_clock(const World& world);

// Maps this rank's clock to rank 0's. The mapping is linear, with a bound on its error that grows
// with the time since the last synchronisation.
class GlobalClock {
 public:
  double to_global(double local) const { return local + offset_ + drift_ * (local - reference_); }
  double to_local(double global) const {
    return reference_ + (global - offset_ - reference_) / (1.0 + drift_);
  }
  // Bound on |to_global(local) - rank 0's clock|, in seconds.
  double error(double local) const;

  // Collective. Within a node the shared clock is recognised (unless `recognise_shared` is false);
  // node leaders synchronise along a binomial tree, each with its parent by the exchange with the
  // shortest round trip (Cristian 1989), after Hunold and Carpen-Amarie's hierarchical scheme
  // (CLUSTER 2018). A second call at a later time also estimates the drift.
  void synchronise(World& world, bool recognise_shared = true);

 private:
  void follow(World& world, int parent);
  void serve(World& world, int child) const;

  double offset_ = 0.0;     // rank 0's clock minus this one, at `reference_`
  double drift_ = 0.0;      // change of the offset per second
  double reference_ = 0.0;  // local time of the last synchronisation
  double error_ = 0.0;      // bound at `reference_`
  double drift_error_ = 0.0;
  bool synchronised_ = false;
};

// The error of synchronising by messages where the truth is known, over all ranks: those of one
// node synchronise as if they did not share its clock, nodes as they do. NaN where ranks do not
// know that they are on one kernel, and for one rank. Collective.
double tested_error(World& world);

}  // namespace leadline::probe
