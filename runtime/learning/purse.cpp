#include "runtime/learning/purse.hpp"

#include <algorithm>

namespace leadline::runtime {
namespace {

constexpr double kShare = 0.01;

}  // namespace

double Purse::share(double now) const { return std::max(kShare * (now - begin_), loan_); }

double Purse::left(double now) const {
  return std::min(share(now) - lost(), gained() + loan_ - in_trials());
}

double Purse::left_to_set_up(double now) const {
  return std::min(share(now), gained() + loan_) - lost();
}

void Purse::gain(double time) { gained_.fetch_add(time, std::memory_order_relaxed); }

void Purse::lose(double time) { in_trials_.fetch_add(time, std::memory_order_relaxed); }

void Purse::set_up(double time) { in_set_up_.fetch_add(time, std::memory_order_relaxed); }

}  // namespace leadline::runtime
