// Every core does the same small amount of arithmetic again and again, or as much of it as it can
// in windows of time, without any communication: what is lost is the machine's own noise.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "benchmarks/node/interrupts.hpp"
#include "benchmarks/node/windows.hpp"
#include "benchmarks/node/work.hpp"
#include "harness/benchmark.hpp"
#include "harness/coordinate.hpp"

namespace leadline::probe {
namespace {

// Work whose result is known, however often it was done since it began.
struct Work {
  std::uint64_t steps;
  int rank;
  std::uint64_t value = 0;
  std::uint64_t done = 0;

  void call() {
    value = work(value, steps);
    done += steps;
  }
  void fill(std::uint64_t seed) {
    value = start(seed);
    done = 0;
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    const std::uint64_t difference = value ^ work_result(start(seed), done);
    std::size_t wrong = done == 0 ? sizeof value : 0;
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

// What the system counts of what it does to this rank's core.
struct Account {
  double time = 0.0;
  double stolen = 0.0;
  double waited = 0.0;
  std::optional<Interrupts> interrupts;

  static Account now(const World& world) {
    std::ifstream table("/proc/interrupts");
    return {.time = world.now(),
            .stolen = world.stolen(),
            .waited = world.waited(),
            .interrupts = interrupts_of(table, world.counters().cpu)};
  }
};

// What all ranks' cores were held up by since then. Collective.
std::map<std::string, double> taken_since(World& world, const Account& then) {
  const Account now = Account::now(world);
  const auto sum = [&world](double mine) { return agree(world, mine, take_sum<double>); };
  const double time = sum(now.time - then.time);
  std::map<std::string, double> taken{
      {"stolen_percent", 100.0 * sum(now.stolen - then.stolen) / time},
      {"waited_percent", 100.0 * sum(now.waited - then.waited) / time}};
  const bool told = now.interrupts && then.interrupts;
  if (agree(world, told ? 1 : 0, take_sum<int>) == world.size()) {
    taken["interrupts_per_s"] = sum(now.interrupts->all - then.interrupts->all) / time;
    taken["timer_interrupts_per_s"] = sum(now.interrupts->timer - then.interrupts->timer) / time;
  }
  return taken;
}

// One call is a quantum of work, which takes what it takes. Returns its steps.
double fix_work(Operation& operation, World& world, double seconds, Work& work) {
  // The same work on all cores: a slow one is to be seen, not evened out.
  work.steps = agree(world, steps_for(seconds), take_maximum<std::uint64_t>);
  operation.call = [&work] { work.call(); };
  return static_cast<double>(work.steps);
}

// One call fills a window of time with as much work as there is time for. Returns the steps on an
// undisturbed core.
double fix_time(Operation& operation, World& world, double seconds, Work& work) {
  constexpr double kUnitsPerWindow = 500.0;
  constexpr double kShortestUnit = 1e-7;
  work.steps = agree(world, steps_for(std::max(seconds / kUnitsPerWindow, kShortestUnit)),
                     take_maximum<std::uint64_t>);
  const auto unit = [&work] { work.call(); };
  const double rate = agree(world, 1.0 / unit_seconds(world, unit), take_maximum<double>);
  const auto windows = std::make_shared<Windows>(world, seconds, 1.0 / rate);
  operation.call = [windows, unit] { windows->fill(unit); };
  operation.counted = [windows] { return windows->seconds(); };
  return seconds * rate * static_cast<double>(work.steps);
}

Operation prepare(const Point& point) {
  World& world = point.world();
  const double seconds = 1e-6 * point.number("quantum_us");
  const auto work = std::make_shared<Work>(Work{.steps = 1, .rank = world.rank()});
  Operation operation = operation_of(work);
  const double steps =
      (point.choice("quantum") == "time" ? fix_time : fix_work)(operation, world, seconds, *work);
  operation.every_call = true;
  operation.repetitions = static_cast<std::uint32_t>(point.integer("quanta"));
  operation.metrics = [&world, steps, then = Account::now(world)] {
    std::map<std::string, double> metrics = taken_since(world, then);
    metrics["quantum_steps"] = steps;
    return metrics;
  };
  return operation;
}

const Registration noise{{
    .name = "node/noise",
    .title = "Processor noise",
    .summary = "what every core loses while all do arithmetic at once, without communication",
    .axes = {task_axis("quantum", "what is fixed: the work of a quantum, or its time",
                       {"work", "time"}),
             {.name = "quantum_us",
              .kind = AxisKind::kNumber,
              .summary = "microseconds of a quantum on an undisturbed core",
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
    .series =
        {{"work",
          "one quantum on each rank, which stops its own clock; where its time is fixed, that "
          "and what the work that it lacks would have taken"}},
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
