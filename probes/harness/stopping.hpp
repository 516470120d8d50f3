// When a point has been measured enough.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leadline::probe {

struct Interval {
  double low;
  double high;
};

// Counts of times in bins 0.1 % wide, from a tenth of a nanosecond to three hours: flat memory
// however many samples come, and quantiles to within a bin.
class Histogram {
 public:
  Histogram();
  void add(double seconds);
  std::uint64_t count() const { return count_; }
  // The time at this position in sorted order, counted from 0.
  double at(std::uint64_t position) const;
  double median() const { return at(count_ / 2); }
  // 95 % interval of the median from order statistics (normal approximation of the binomial
  // ranks: Conover, Practical Nonparametric Statistics, section 3.2). Needs 6 samples or more.
  Interval median_interval() const;

 private:
  std::vector<std::uint32_t> bins_;
  std::uint64_t count_ = 0;
};

struct StoppingLimits {
  double precision = 0.02;     // half width of the interval over the median
  std::uint32_t minimum = 20;  // repetitions
  std::uint32_t maximum = 10000;
  double seconds = 1.0;  // spent on the point
};

// kRepetitions: as many as the operation asks for.
enum class Verdict { kContinue, kPrecision, kMaximum, kSeconds, kRepetitions };

const char* verdict_name(Verdict verdict);

// Pure: what to do after `repetitions` whose times are in `times` (late ones left out).
Verdict judge(const StoppingLimits& limits, const Histogram& times, std::uint32_t repetitions,
              double seconds_spent);

// Pure: how many repetitions to do before judging again, between 1 and `capacity`, when one takes
// `seconds_each`: few enough that neither the maximum nor the time is overrun.
std::uint32_t next_chunk(const StoppingLimits& limits, std::uint32_t repetitions,
                         double seconds_spent, double seconds_each, std::uint32_t capacity);

}  // namespace leadline::probe
