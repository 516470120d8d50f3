#include "benchmarks/fake/draw.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <stdexcept>

namespace leadline::probe {
namespace {

constexpr double kSlowRank = 10.0;
constexpr double kStep = 1.5;
constexpr double kSecondMode = 2.0;
constexpr double kPreemption = 4e-3;

}  // namespace

std::vector<Axis> draw_axes() {
  return {
      bytes_axis("8:1M:x2"),
      task_axis("distribution", "how times scatter about their typical value",
                {"lognormal", "normal", "constant", "two_modes"}),
      {"latency_us", AxisKind::kNumber, "typical time of an empty message", "1"},
      {"bandwidth_MBps", AxisKind::kNumber, "typical rate", "10000", {}, 1e-6},
      {"spread", AxisKind::kNumber, "standard deviation as a part of the typical time", "0.02"},
      {"launch_spread", AxisKind::kNumber, "the same between launches", "0"},
      task_axis(
          "fault", "what goes wrong from call `fault_after` on",
          {"none", "preempted", "step", "slow_rank", "wrong_data", "error", "killed", "hang"}),
      {"fault_after", AxisKind::kInteger, "the calls before the fault", "200"},
  };
}

Draw::Draw(const Point& point)
    : world_(dynamic_cast<ThreadWorld&>(point.world())),
      seed_(point.seed()),
      generator_(point.seed() * 1000003 + static_cast<std::uint64_t>(world_.rank())),
      distribution_(point.choice("distribution")),
      fault_(point.choice("fault")),
      typical_(1e-6 * point.number("latency_us") +
               static_cast<double>(point.bytes()) / (1e6 * point.number("bandwidth_MBps"))),
      spread_(point.number("spread")),
      fault_after_(point.integer("fault_after")) {
  std::mt19937_64 common(point.seed());
  typical_ *= std::exp(point.number("launch_spread") * std::normal_distribution<double>()(common));
}

double Draw::distributed() {
  std::normal_distribution<double> normal;
  if (distribution_ == "constant") return typical_;
  if (distribution_ == "normal") {
    return typical_ * std::max(0.01, 1.0 + spread_ * normal(generator_));
  }
  const double scattered = typical_ * std::exp(spread_ * normal(generator_));
  if (distribution_ == "lognormal") return scattered;
  return std::bernoulli_distribution(0.5)(generator_) ? scattered : kSecondMode * scattered;
}

double Draw::next() {
  double seconds = distributed() * world_.slowness(seed_).value_or(1.0);
  if (++calls_ <= fault_after_ || fault_ == "none") return seconds;
  const bool last_rank = world_.rank() == world_.size() - 1;
  if (fault_ == "preempted" && calls_ % 100 == 0) {
    world_.preempt(kPreemption);
  } else if (fault_ == "step") {
    seconds *= kStep;
  } else if (fault_ == "slow_rank" && last_rank) {
    seconds *= kSlowRank;
  } else if (fault_ == "error" && last_rank) {
    throw std::runtime_error("the simulated operation failed as it was told to");
  } else if (fault_ == "killed" && last_rank) {
    std::raise(SIGKILL);
  } else if (fault_ == "hang" && last_rank) {
    for (;;) pause();
  }
  return seconds;
}

}  // namespace leadline::probe
