#include "harness/neighbour.hpp"

#include <limits>
#include <stdexcept>

namespace leadline::probe {
namespace {

std::map<std::string, CongestorFacts>& registry() {
  static std::map<std::string, CongestorFacts> all;
  return all;
}

}  // namespace

void declare_congestor(const CongestorFacts& congestor) {
  if (!registry().emplace(congestor.name, congestor).second) {
    throw std::logic_error("congestor " + congestor.name + " is registered twice");
  }
}

const std::map<std::string, CongestorFacts>& declared_congestors() { return registry(); }

std::vector<Axis> neighbour_settings() {
  if (registry().empty()) return {};
  std::vector<std::string> choices{kNoNeighbour};
  std::string summary = "what runs on the job's other nodes meanwhile";
  for (const auto& [name, congestor] : registry()) {
    choices.push_back(name);
    summary.append(choices.size() == 2 ? ": " : ", ").append(name);
    summary.append(" (" + congestor.summary + ")");
  }
  Axis spacer{"spacer", AxisKind::kInteger,
              "idle nodes between those that measure and the neighbour's", "0"};
  spacer.maximum = std::numeric_limits<int>::max();
  Axis bytes{"neighbour_bytes", AxisKind::kBytes,
             "size of the neighbour's messages, or of its arrays; 0: its usual size", "0"};
  bytes.maximum = std::numeric_limits<int>::max();
  return {choice_axis("neighbour", summary, choices), spacer, bytes};
}

void check_no_neighbour(const Point& point) {
  if (point.has("neighbour") && point.choice("neighbour") != kNoNeighbour) {
    throw std::invalid_argument("neighbour=" + point.choice("neighbour") +
                                " needs nodes beside those that measure");
  }
}

}  // namespace leadline::probe
