// What learning may cost a process: time lost in trials against the run time and the gain.
#pragma once

#include <atomic>

namespace leadline::runtime {

// All in one unit of time. Safe in any thread.
class Purse {
 public:
  // `loan` is what may be lost before anything was gained.
  Purse(double begin, double loan) : begin_(begin), loan_(loan) {}

  // What may be lost from now on; negative where too much was: 1 % of the run time, and not more
  // than the gain and the loan. A run is taken to last at least a hundred loans.
  double left(double now) const;

  // Negative ones correct earlier ones.
  void gain(double time);
  void lose(double time);

  double lost() const { return lost_.load(std::memory_order_relaxed); }
  double gained() const { return gained_.load(std::memory_order_relaxed); }

 private:
  const double begin_;
  const double loan_;
  std::atomic<double> lost_{0};
  std::atomic<double> gained_{0};
};

// This process's, in ticks since the engine was loaded.
Purse& purse();

// Seconds of one tick of the processor's counter.
double seconds_per_tick();

}  // namespace leadline::runtime
