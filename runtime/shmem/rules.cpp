#include "runtime/shmem/rules.hpp"

#include <algorithm>

namespace leadline::runtime {
namespace {

constexpr std::string_view kOurs = "shared";

}  // namespace

Collective::Collective(std::string_view name) : name_(name), index_(all().size()) {
  all().push_back(this);
}

std::vector<const Collective*>& Collective::all() {
  static std::vector<const Collective*> collectives;
  return collectives;
}

std::string unknown_in(const Rule& rule) {
  if (!rule.collective.starts_with("shmem_")) return {};  // MPI's
  const auto is_of_rule = [&](const Collective* each) { return each->name() == rule.collective; };
  if (std::ranges::none_of(Collective::all(), is_of_rule)) {
    return "collective \"" + rule.collective + "\"";
  }
  if (rule.algorithm == kOurs || rule.algorithm == "library") return {};
  return "algorithm \"" + rule.algorithm + "\" of " + rule.collective;
}

bool replaces(const Rule& rule) { return rule.algorithm == kOurs; }

Rules::Rules(int pes) : rules_(Collective::all().size()) {
  for (const Rule& rule : profile().rules) {
    if (rule.nodes > 1 || (rule.processes != 0 && rule.processes != pes)) continue;
    for (const Collective* const collective : Collective::all()) {
      if (rule.collective == collective->name()) rules_[collective->index()].push_back(&rule);
    }
  }
}

}  // namespace leadline::runtime
