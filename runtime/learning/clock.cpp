// The purse of this process, and the rate of its clock.
#include <chrono>

#include "runtime/learning/purse.hpp"
#include "runtime/report/ledger.hpp"

namespace leadline::runtime {
namespace {

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

double seconds_per_tick() {
  static const double rate = measured_rate();
  return rate;
}

Purse& purse() {
  static Purse purse(static_cast<double>(begin_ticks), kLoanSeconds / seconds_per_tick());
  return purse;
}

}  // namespace leadline::runtime
