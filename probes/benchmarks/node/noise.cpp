// Every core does the same small amount of arithmetic again and again, without any communication:
// what a quantum takes beyond the shortest is the machine's own noise.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

#include "benchmarks/node/work.hpp"
#include "harness/benchmark.hpp"
#include "harness/coordinate.hpp"

namespace leadline {
namespace {

struct Quantum {
  std::uint64_t steps;
  int rank;
  std::uint64_t value = 0;

  void call() { value = work(value, steps); }
  void fill(std::uint64_t seed) { value = start(seed); }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    const std::uint64_t difference = value ^ work_result(start(seed), steps);
    std::size_t wrong = 0;
    for (std::uint64_t rest = difference; rest > 0; rest >>= 8) wrong += (rest & 0xff) != 0;
    return wrong;
  }
  std::uint64_t start(std::uint64_t seed) const {
    return seed + static_cast<std::uint64_t>(rank) * kIncrement;
  }
};

double seconds_of(std::uint64_t steps) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  static volatile std::uint64_t value = 1;
  value = work(value, steps);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// How many steps last that long on an undisturbed core, at least 1: the shortest of several tries
// counts.
std::uint64_t steps_for(double seconds) {
  constexpr std::uint64_t kTrySteps = 20000;
  constexpr int kTries = 50;
  double shortest = std::numeric_limits<double>::max();
  for (int i = 0; i < kTries; ++i) shortest = std::min(shortest, seconds_of(kTrySteps));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(seconds / shortest * kTrySteps));
}

Operation prepare(const Point& point) {
  World& world = point.world();
  // The same work on all cores: a slow one is to be seen, not evened out.
  const std::uint64_t steps =
      agree(world, steps_for(1e-6 * point.number("quantum_us")), take_maximum<std::uint64_t>);
  const auto quantum = std::make_shared<Quantum>(Quantum{.steps = steps, .rank = world.rank()});
  Operation operation;
  operation.call = [quantum] { quantum->call(); };
  operation.fill = [quantum](std::uint64_t seed) { quantum->fill(seed); };
  operation.wrong_bytes = [quantum](std::uint64_t seed) { return quantum->wrong_bytes(seed); };
  operation.every_call = true;
  operation.repetitions = static_cast<std::uint32_t>(point.integer("quanta"));
  operation.metrics = [steps] {
    return std::map<std::string, double>{{"quantum_steps", static_cast<double>(steps)}};
  };
  return operation;
}

const Registration noise{{
    .name = "node/noise",
    .summary = "time of a fixed amount of arithmetic on every core at once, without communication",
    .axes = {{.name = "quantum_us",
              .kind = AxisKind::kNumber,
              .summary = "microseconds that the work takes on an undisturbed core",
              .default_values = "100",
              .minimum = 0.1,
              .maximum = 1e6},
             {.name = "quanta",
              .kind = AxisKind::kInteger,
              .summary = "how often in a row",
              .default_values = "10000",
              .minimum = 1,
              .maximum = 1 << 20,
              .quick_values = "1000"}},
    .processes = {},
    .series = {{"work", "one quantum of work on each rank, which stops its own clock"}},
    .start = Start::kBackToBack,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline
