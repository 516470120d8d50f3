#include "runtime/learning/purse.hpp"

#include <algorithm>

namespace leadline::runtime {
namespace {

constexpr double kShare = 0.01;

}  // namespace

double Purse::left(double now) const {
  const double share = std::max(kShare * (now - begin_), loan_);
  return std::min(share, gained() + loan_) - lost();
}

void Purse::gain(double time) { gained_.fetch_add(time, std::memory_order_relaxed); }

void Purse::lose(double time) { lost_.fetch_add(time, std::memory_order_relaxed); }

}  // namespace leadline::runtime
