#include "runtime/learning/overhead_budget.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/shared/ticks.hpp"

namespace leadline::runtime {
namespace {

constexpr double kShare = 0.01;

using Clock = std::chrono::steady_clock;

constexpr double kLoanSeconds = 2e-3;

const Clock::time_point begin = Clock::now();
const std::uint64_t begin_ticks = ticks();

// As soon as enough time has passed.
double measured_rate() {
  constexpr std::chrono::milliseconds kEnough{1};
  while (Clock::now() - begin < kEnough) {
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return seconds / static_cast<double>(ticks() - begin_ticks);
}

}  // namespace

double OverheadBudget::share(double now) const { return std::max(kShare * (now - begin_), loan_); }

double OverheadBudget::left(double now) const {
  return std::min(share(now) - lost(), gained() + loan_ - in_trials());
}

double OverheadBudget::left_to_set_up(double now) const {
  return std::min(share(now), gained() + loan_) - lost();
}

void OverheadBudget::gain(double time) { gained_.fetch_add(time, std::memory_order_relaxed); }

void OverheadBudget::lose(double time) { in_trials_.fetch_add(time, std::memory_order_relaxed); }

void OverheadBudget::set_up(double time) { in_set_up_.fetch_add(time, std::memory_order_relaxed); }

double seconds_per_tick() {
  static const double rate = measured_rate();
  return rate;
}

OverheadBudget& overhead_budget() {
  static OverheadBudget budget(static_cast<double>(begin_ticks), kLoanSeconds / seconds_per_tick());
  return budget;
}

}  // namespace leadline::runtime
