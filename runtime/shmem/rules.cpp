#include "runtime/shmem/rules.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "runtime/profile/profile.hpp"

namespace leadline {
namespace {

constexpr std::string_view kNames[] = {"shmem_barrier", "shmem_broadcast", "shmem_reduce",
                                       "shmem_collect", "shmem_alltoall"};

}  // namespace

std::string unknown_in(const Rule& rule) {
  if (!rule.collective.starts_with("shmem_")) return {};  // MPI's
  if (std::ranges::find(kNames, rule.collective) == std::end(kNames)) {
    return "collective \"" + rule.collective + "\"";
  }
  if (rule.algorithm == "shared" || rule.algorithm == "library") return {};
  return "algorithm \"" + rule.algorithm + "\" of " + rule.collective;
}

Rules::Rules(int pes) {
  for (const Rule& rule : profile().rules) {
    if (rule.nodes > 1 || (rule.processes != 0 && rule.processes != pes)) continue;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (rule.collective != kNames[i]) continue;
      ranges_[i].push_back(
          {.from = rule.from_bytes, .to = rule.to_bytes, .shared = rule.algorithm == "shared"});
    }
  }
}

}  // namespace leadline
