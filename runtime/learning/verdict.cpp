#include "runtime/learning/verdict.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace leadline::runtime {
namespace {

// Looks at the evidence: after so many pairs, the value of this rank bounds the median from below,
// and from above that of the same rank from the end, each with 98 % or more (binomial).
struct Look {
  std::size_t pairs;
  std::size_t rank;
};
constexpr std::array<Look, 6> kLooks{{{6, 1}, {8, 1}, {12, 2}, {16, 4}, {24, 6}, {32, 10}}};
static_assert(kLooks.back().pairs == kMostPairs);

// More in the first pairs, and it would be a waste to go on.
constexpr double kHopeless = 1.5;
constexpr double kHopelessWhereCold = 16;

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> all(values.begin(), values.end());
  std::sort(all.begin(), all.end());
  return all;
}

double middle(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

Verdict judge(std::span<const double> ratios, bool known) {
  const std::vector<double> all = sorted(ratios);
  const double hopeless = known ? kHopeless : kHopelessWhereCold;
  if (all.size() >= 2 && all.front() > hopeless) return Verdict::kKeep;
  for (const Look& look : kLooks) {
    if (look.pairs != all.size()) continue;
    if (all[all.size() - look.rank] < 1 && middle(all) * kLeastGain < 1) return Verdict::kExchange;
    if (all[look.rank - 1] > 1) return Verdict::kKeep;
  }
  return all.size() < kMostPairs ? Verdict::kOpen : Verdict::kKeep;
}

double median(std::span<const double> values) {
  return values.empty() ? 0 : middle(sorted(values));
}

}  // namespace leadline::runtime
