// What learning may cost a process: time lost in trials and in taking communicators over, against
// the run time and the gain.
#pragma once

#include <atomic>

namespace leadline::runtime {

// All in one unit of time. Safe in any thread.
class OverheadBudget {
 public:
  // `loan` is what each of the two may lose before anything was gained.
  OverheadBudget(double begin, double loan) : begin_(begin), loan_(loan) {}

  // What trials may lose from now on; negative where too much was lost: 1 % of the run time, and
  // not more than the gain and the loan. A run is taken to last at least a hundred loans. What
  // communicators took in one piece counts for the 1 % alone: it is the trials that tell whether
  // it pays.
  double left(double now) const;

  // What taking over a communicator may take: the same, with all that was lost.
  double left_to_set_up(double now) const;

  // Negative ones correct earlier ones.
  void gain(double time);
  void lose(double time);
  void set_up(double time);

  // By trials and by taking over.
  double lost() const { return in_trials() + in_set_up(); }
  double gained() const { return gained_.load(std::memory_order_relaxed); }

 private:
  double share(double now) const;
  double in_trials() const { return in_trials_.load(std::memory_order_relaxed); }
  double in_set_up() const { return in_set_up_.load(std::memory_order_relaxed); }

  const double begin_;
  const double loan_;
  std::atomic<double> in_trials_{0};
  std::atomic<double> in_set_up_{0};
  std::atomic<double> gained_{0};
};

// This process's, in ticks since the engine was loaded.
OverheadBudget& overhead_budget();

// Seconds of one tick of the processor's counter.
double seconds_per_tick();

}  // namespace leadline::runtime
