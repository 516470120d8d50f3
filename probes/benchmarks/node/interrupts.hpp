// How often a core was interrupted, as the kernel counts it.
#pragma once

#include <istream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace leadline::probe {

struct Interrupts {
  double all = 0.0;
  double timer = 0.0;  // of the core's own timer
};

// Those of a core so far, from the text of /proc/interrupts; nothing where that has no such core.
inline std::optional<Interrupts> interrupts_of(std::istream& text, int cpu) {
  const std::string wanted = "CPU" + std::to_string(cpu);
  std::string line;
  std::getline(text, line);
  std::istringstream head(line);
  std::optional<std::size_t> column;
  std::size_t columns = 0;
  for (std::string name; head >> name; ++columns) {
    if (name == wanted) column = columns;
  }
  if (!column) return std::nullopt;
  Interrupts found;
  while (std::getline(text, line)) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<double> counts;
    for (double count = 0.0; counts.size() < columns && words >> count;) counts.push_back(count);
    // Some rows are one count of the whole machine.
    if (counts.size() < columns) continue;
    found.all += counts[*column];
    const bool timer = name == "LOC:" || line.find("arch_timer") != std::string::npos;
    if (timer) found.timer += counts[*column];
  }
  return found;
}

}  // namespace leadline::probe
