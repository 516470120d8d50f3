// The names that rules of a profile may have here.
#include <string>

#include "runtime/engine/adopted.hpp"
#include "runtime/profile/profile.hpp"

namespace leadline::runtime {

std::string unknown_in(const Rule& rule) {
  if (rule.collective.starts_with("shmem_")) return {};  // OpenSHMEM's
  for (const KnownCollective& collective : KnownCollective::all()) {
    if (collective.name != rule.collective) continue;
    if (rule.algorithm == "library" || collective.find(rule.algorithm) != nullptr) return {};
    return "algorithm \"" + rule.algorithm + "\" of " + rule.collective;
  }
  return "collective \"" + rule.collective + "\"";
}

}  // namespace leadline::runtime
