#include "runtime/explain/watch/pace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace leadline::explain {
namespace {

// Of two seconds or more each: twelve seconds, a minute at least, and five minutes.
constexpr std::size_t kRecent = 6;
constexpr std::size_t kLeastPast = 30;
constexpr std::size_t kMostPast = 150;
// At the end of a slowness one of the recent ones may be another thing.
constexpr std::size_t kOdd = 1;
constexpr double kLeastFactor = 1.25;
// More than ever before by so much.
constexpr double kAboveHighest = 1.1;
// In standard deviations of the values, where these are such that there is something usual, and of
// what as many as are recent have together: that of a node whose pace wanders is as large.
constexpr double kSpreads = 3;
constexpr double kSpreadsTogether = 7;
constexpr double kMostSpread = 0.25;
constexpr double kDeviation = 1.4826;  // of a normal distribution, in median absolute deviations
// What it takes longer is so much of all that the ranks do.
constexpr double kLeastPart = 0.05;
// Of a change: beyond this a value belongs to what is after it.
constexpr double kMiddle = 0.5;
// And up to this surely to what is before it.
constexpr double kBefore = 0.3;
constexpr std::size_t kLeastSince = 3;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double spread(const std::vector<double>& values, double middle) {
  std::vector<double> far;
  for (const double value : values) far.push_back(std::abs(value - middle));
  return kDeviation * median(std::move(far));
}

// The medians of as many as are recent, one after the other.
std::vector<double> medians(const std::vector<double>& values) {
  std::vector<double> found;
  for (auto last = values.begin() + kRecent; last <= values.end(); ++last) {
    found.push_back(median({last - kRecent, last}));
  }
  return found;
}

}  // namespace

bool Pace::knows_past() const { return past_.size() >= kLeastPast && spread_ <= kMostSpread; }

void Pace::add(const Interval& interval) {
  if (interval.calls <= 0 || interval.computing_s <= 0) return;
  recent_.push_back(
      {.begun_s = interval.begun_s, .cost = std::log(interval.computing_s / interval.calls)});
  if (recent_.size() > kRecent) {
    // What is slow is no part of what is usual.
    if (!is_slow()) past_.push_back(recent_.front());
    recent_.pop_front();
  }
  if (past_.size() > kMostPast) past_.pop_front();
  if (past_.size() < kLeastPast || recent_.size() < kRecent) return;
  if (is_slow()) return look_for_end();
  look_for_slowness(interval.computing_s / interval.lasted_s);
}

void Pace::look_for_slowness(double part) {
  std::vector<double> costs;
  for (const Seen& each : past_) costs.push_back(each.cost);
  usual_ = median(costs);
  spread_ = spread(costs, usual_);
  if (!knows_past()) return;
  std::vector<double> now;
  for (const Seen& each : recent_) now.push_back(each.cost);
  std::sort(now.begin(), now.end());
  const double change = now[kRecent / 2] - usual_;
  const double middle = usual_ + kMiddle * change;
  const bool is_large = change >= std::max(std::log(kLeastFactor), kSpreads * spread_);
  const bool matters = part * (1 - std::exp(-change)) >= kLeastPart;
  if (!is_large || !matters || now.front() < middle) return;
  const std::vector<double> together = medians(costs);
  const double highest = *std::max_element(together.begin(), together.end());
  if (usual_ + change < highest + std::log(kAboveHighest)) return;
  if (change < kSpreadsTogether * spread(together, usual_)) return;
  // It may have begun before that was sure.
  double since_s = recent_.front().begun_s;
  for (auto each = past_.rbegin(); each != past_.rend() && each->cost >= middle; ++each) {
    since_s = each->begun_s;
  }
  slowness_ = {.since_s = since_s, .factor = std::exp(change), .until_s = {}};
}

void Pace::look_for_end() {
  const double middle = usual_ + kMiddle * std::log(slowness_->factor);
  const auto is_below = [&](const Seen& each) { return each.cost < middle; };
  const auto below = std::count_if(recent_.begin(), recent_.end(), is_below);
  if (static_cast<std::size_t>(below) + kOdd < kRecent) return;
  slowness_->until_s = std::find_if(recent_.begin(), recent_.end(), is_below)->begun_s;
  std::erase_if(recent_, [&](const Seen& each) { return each.begun_s < *slowness_->until_s; });
}

void Pace::settle() {
  if (is_slow()) past_.clear();
  slowness_.reset();
}

bool Pace::is_as_before(double since_s, double factor) const {
  if (!knows_past() || is_slow()) return false;
  std::vector<double> since;
  for (const Seen& each : recent_) {
    if (each.begun_s >= since_s) since.push_back(each.cost);
  }
  return since.size() >= kLeastSince && median(since) < usual_ + kBefore * std::log(factor);
}

}  // namespace leadline::explain
