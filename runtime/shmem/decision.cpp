#include "runtime/shmem/aside.hpp"
#include "runtime/shmem/replacement.hpp"

namespace leadline::runtime {

Decision decide(const Collective& collective, Group* group, const ActiveSet& set,
                std::size_t most) {
  Decision decision{.group = group, .processes = set.size};
  if (group == nullptr) {
    decision.decline_reason = Group::why_not(set);
    return decision;
  }
  decision.rule = group->rules().find(collective, most);
  if (decision.rule == nullptr) {
    decision.decline_reason =
        group->rules().any(collective) ? "no rule for its size" : "no rule for its ranks";
  } else if (!replaces(*decision.rule)) {
    decision.decline_reason = "the library is faster";
  }
  return decision;
}

Decision decide_on_data(const Collective& collective, const ActiveSet& set, std::size_t bytes) {
  Decision decision = decide(collective, Group::of(set), set, bytes);
  decision.has_bytes = true;
  decision.bytes = bytes;
  return decision;
}

void count(const char* function, const Decision& decision, std::uint64_t duration) {
  if (Aside::here()) return;
  Call call{.function = function,
            .reason = decision.decline_reason,
            .processes = decision.processes,
            .nodes = decision.group != nullptr ? 1 : 0,
            .has_bytes = decision.has_bytes,
            .bytes = decision.bytes};
  if (decision.decline_reason == nullptr) {
    call.algorithm = decision.rule != nullptr ? decision.rule->algorithm.c_str() : "shared";
  }
  record(call, duration);
}

}  // namespace leadline::runtime
