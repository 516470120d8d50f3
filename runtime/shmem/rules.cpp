#include "runtime/shmem/rules.hpp"

#include <string_view>

#include "runtime/profile/profile.hpp"

namespace leadline {

Rules::Rules(int pes) {
  constexpr std::string_view kNames[] = {"shmem_barrier", "shmem_broadcast", "shmem_reduce",
                                         "shmem_collect", "shmem_alltoall"};
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
