#include "harness/plan.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace leadline::probe {
namespace {

void set(Plan& plan, const std::string& name, const std::string& value) {
  SamplerSettings& settings = plan.settings;
  if (name == "precision") {
    settings.limits.precision = std::stod(value);
  } else if (name == "minimum") {
    settings.limits.minimum = static_cast<std::uint32_t>(std::stoul(value));
  } else if (name == "maximum") {
    settings.limits.maximum = static_cast<std::uint32_t>(std::stoul(value));
  } else if (name == "seconds") {
    settings.limits.seconds = std::stod(value);
  } else if (name == "seed") {
    settings.seed = std::stoull(value);
  } else if (name == "oversubscribed") {
    settings.oversubscribed = value == "1";
  } else {
    throw std::invalid_argument("unknown setting " + name);
  }
}

PlannedPoint point(std::istringstream& words) {
  PlannedPoint planned{};
  words >> planned.index >> planned.benchmark;
  if (!benchmarks().contains(planned.benchmark)) {
    throw std::invalid_argument("this probe has no benchmark " + planned.benchmark);
  }
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::invalid_argument(word + " is not AXIS=VALUE");
    planned.values[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return planned;
}

}  // namespace

std::string PlannedPoint::text() const {
  std::string text = benchmark;
  for (const auto& [axis, value] : values) text.append(" ").append(axis).append("=").append(value);
  return text;
}

Plan parse_plan(const std::string& text) {
  Plan plan;
  std::istringstream lines(text);
  std::string line;
  std::string library;
  int number = 0;
  while (std::getline(lines, line)) {
    ++number;
    std::istringstream words(line);
    std::string kind;
    std::string name;
    std::string value;
    if (!(words >> kind)) continue;
    try {
      if (number == 1) {
        if (line != "leadline-plan 1") throw std::invalid_argument("not a leadline-plan 1");
      } else if (kind == "set" && words >> name >> value) {
        set(plan, name, value);
      } else if (kind == "read" && words >> name) {
        plan.controls.push_back(name);
      } else if (kind == "library" && std::getline(words >> std::ws, library)) {
        // Of the point in the next line. A path may hold blanks.
      } else if (kind == "point") {
        plan.points.push_back(point(words));
        plan.points.back().library = std::exchange(library, {});
      } else {
        throw std::invalid_argument("neither set, read, library nor point");
      }
    } catch (const std::logic_error& error) {
      throw std::invalid_argument("plan line " + std::to_string(number) + ": " + error.what());
    }
  }
  if (number == 0) throw std::invalid_argument("the plan is empty");
  return plan;
}

}  // namespace leadline::probe
