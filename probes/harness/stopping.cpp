#include "harness/stopping.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace leadline::probe {
namespace {

// A float64's exponent and first ten mantissa bits number its bin: the spacing is 2^-10.
constexpr int kMantissaBits = 10;
constexpr double kSmallest = 0x1p-33;
constexpr double kLargest = 0x1p+13;

constexpr std::uint64_t raw_bin(double value) {
  return std::bit_cast<std::uint64_t>(value) >> (52 - kMantissaBits);
}

constexpr std::uint64_t kFirst = raw_bin(kSmallest);
constexpr std::size_t kBins = raw_bin(kLargest) - kFirst + 1;

}  // namespace

// Bins come with the first time: they are most of a rank's memory, and rank 0 alone adds any.
Histogram::Histogram() = default;

void Histogram::add(double seconds) {
  bins_.resize(kBins);
  ++bins_[raw_bin(std::clamp(seconds, kSmallest, kLargest)) - kFirst];
  ++count_;
}

double Histogram::at(std::uint64_t position) const {
  std::uint64_t before = 0;
  std::size_t bin = 0;
  while (bin + 1 < bins_.size() && before + bins_[bin] <= position) before += bins_[bin++];
  const std::uint64_t middle =
      ((kFirst + bin) << (52 - kMantissaBits)) | (std::uint64_t{1} << (51 - kMantissaBits));
  return std::bit_cast<double>(middle);
}

Interval Histogram::median_interval() const {
  const double n = static_cast<double>(count_);
  const double half = 0.98 * std::sqrt(n);  // 1.96 standard deviations of a binomial(n, 1/2)
  const double low = std::max(0.0, std::floor(0.5 * n - half) - 1.0);
  const double high = std::min(n - 1.0, std::ceil(0.5 * n + half));
  return {at(static_cast<std::uint64_t>(low)), at(static_cast<std::uint64_t>(high))};
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kContinue:
      return "continue";
    case Verdict::kPrecision:
      return "precision";
    case Verdict::kMaximum:
      return "maximum";
    case Verdict::kSeconds:
      return "seconds";
    case Verdict::kRepetitions:
      return "repetitions";
  }
  return "";
}

Verdict judge(const StoppingLimits& limits, const Histogram& times, std::uint32_t repetitions,
              double seconds_spent) {
  if (times.count() >= std::max<std::uint64_t>(6, limits.minimum)) {
    const Interval interval = times.median_interval();
    if (interval.high - interval.low <= 2.0 * limits.precision * times.median()) {
      return Verdict::kPrecision;
    }
  }
  if (repetitions >= limits.maximum) return Verdict::kMaximum;
  if (seconds_spent >= limits.seconds) return Verdict::kSeconds;
  return Verdict::kContinue;
}

std::uint32_t next_chunk(const StoppingLimits& limits, std::uint32_t repetitions,
                         double seconds_spent, double seconds_each, std::uint32_t capacity) {
  const double each = std::max(seconds_each, 1e-9);
  // Half as much again as there is, so that judging stays rare; the first time the minimum.
  double wanted = std::max<double>(limits.minimum, 0.5 * repetitions);
  wanted = std::min(wanted, std::ceil(std::max(0.0, limits.seconds - seconds_spent) / each));
  wanted =
      std::min<double>(wanted, limits.maximum > repetitions ? limits.maximum - repetitions : 1);
  return static_cast<std::uint32_t>(std::clamp<double>(wanted, 1.0, capacity));
}

}  // namespace leadline::probe
