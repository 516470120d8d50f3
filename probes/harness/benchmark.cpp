#include "harness/benchmark.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace leadline::probe {
namespace {

std::map<std::string, Benchmark>& registry() {
  static std::map<std::string, Benchmark> all;
  return all;
}

std::vector<Benchmark (*)()>& undeclared() {
  static std::vector<Benchmark (*)()> all;
  return all;
}

void add(Benchmark benchmark) {
  const std::string name = benchmark.name;
  if (!registry().emplace(name, std::move(benchmark)).second) {
    throw std::logic_error("benchmark " + name + " is registered twice");
  }
}

template <typename T>
T parse(const std::string& axis, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument(axis + "=" + text + " is not a number");
  }
  return value;
}

}  // namespace

const char* start_name(Start start) {
  switch (start) {
    case Start::kBackToBack:
      return "back_to_back";
    case Start::kAgreed:
      return "agreed";
    case Start::kBarrier:
      return "barrier";
    case Start::kTimedBarrier:
      return "timed_barrier";
  }
  return "";
}

void check(const Benchmark& benchmark, const std::map<std::string, std::string>& values,
           int processes) {
  const Processes& allowed = benchmark.processes;
  if (processes < allowed.minimum || (allowed.maximum > 0 && processes > allowed.maximum) ||
      processes % allowed.multiple_of != 0) {
    throw std::invalid_argument(benchmark.name + " cannot use " + std::to_string(processes) +
                                " processes");
  }
  const auto asked = values.find("start");
  const auto is_asked = [&](Start start) { return start_name(start) == asked->second; };
  if (!benchmark.starts.empty() && asked != values.end() && asked->second != "default" &&
      std::ranges::none_of(benchmark.starts, is_asked)) {
    throw std::invalid_argument(benchmark.name + " does not allow start=" + asked->second);
  }
  for (const Axis& axis : benchmark.axes) {
    const auto found = values.find(axis.name);
    if (found == values.end()) {
      throw std::invalid_argument(benchmark.name + " needs a value for " + axis.name);
    }
    const std::string& text = found->second;
    bool fits = std::ranges::find(axis.choices, text) != axis.choices.end();
    if (axis.kind == AxisKind::kWord) {
      fits = !text.empty();
    } else if (axis.kind != AxisKind::kChoice) {
      const auto value = parse<double>(axis.name, text);
      const bool whole =
          axis.kind == AxisKind::kNumber || std::fmod(value, axis.multiple_of) == 0.0;
      fits = whole && value >= axis.minimum && (axis.maximum == 0.0 || value <= axis.maximum);
    }
    if (!fits) {
      throw std::invalid_argument(benchmark.name + " does not allow " + axis.name + "=" + text);
    }
  }
}

Axis bytes_axis(std::string default_values, std::string summary, int multiple_of) {
  Axis axis{"bytes", AxisKind::kBytes, std::move(summary), std::move(default_values)};
  // MPI counts in int.
  axis.maximum = std::numeric_limits<int>::max();
  axis.multiple_of = multiple_of;
  axis.quick_values = "8,64K";
  return axis;
}

Axis choice_axis(std::string name, std::string summary, std::vector<std::string> choices) {
  std::string first = choices.at(0);
  return {std::move(name), AxisKind::kChoice, std::move(summary), std::move(first),
          std::move(choices)};
}

Axis task_axis(std::string name, std::string summary, std::vector<std::string> choices) {
  Axis axis = choice_axis(std::move(name), std::move(summary), std::move(choices));
  axis.ways = false;
  return axis;
}

Point::Point(World& world, std::map<std::string, std::string> values, std::string library,
             Surroundings launch)
    : world_(world),
      values_(std::move(values)),
      library_(std::move(library)),
      launch_(std::move(launch)) {}

std::size_t Point::bytes(const std::string& axis) const {
  return parse<std::size_t>(axis, choice(axis));
}

std::int64_t Point::integer(const std::string& axis) const {
  return parse<std::int64_t>(axis, choice(axis));
}

double Point::number(const std::string& axis) const { return parse<double>(axis, choice(axis)); }

const std::string& Point::choice(const std::string& axis) const {
  const auto found = values_.find(axis);
  if (found == values_.end()) throw std::invalid_argument("no value for axis " + axis);
  return found->second;
}

const std::vector<Axis>& harness_settings() {
  static const std::vector<Axis> settings{
      choice_axis("start",
                  "how repetitions start: as the benchmark is defined, at an agreed time, after a "
                  "barrier, one right after the other, or with a barrier inside the time, which "
                  "shows what barriers in a program's loop cost",
                  {"default", "agreed", "barrier", "back_to_back", "timed_barrier"}),
      choice_axis("cache", "buffers that stay in the caches, or that have left them",
                  {"warm", "cold"}),
  };
  return settings;
}

const std::map<std::string, Benchmark>& benchmarks() {
  // A static's initialiser runs once, also where ranks are threads.
  static const auto& all = []() -> const std::map<std::string, Benchmark>& {
    for (const auto declare : undeclared()) add(declare());
    return registry();
  }();
  return all;
}

Registration::Registration(Benchmark benchmark) { add(std::move(benchmark)); }

Registration::Registration(Benchmark (*declare)()) { undeclared().push_back(declare); }

}  // namespace leadline::probe
