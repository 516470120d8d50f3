#include "runtime/shmem/rules.hpp"

#include <shmem.h>

#include <algorithm>

// Open MPI's OpenSHMEM stands on its MPI, whose text says more than shmem_info_get_name does.
extern "C" __attribute__((weak)) int PMPI_Get_library_version(char* text, int* length);

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

std::string library_version() {
  char text[8192] = "";  // more than any library's
  int length = 0;
  if (PMPI_Get_library_version == nullptr || PMPI_Get_library_version(text, &length) != 0) {
    shmem_info_get_name(text);
  }
  return one_blank_between_words(text);
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
