// The nodes that have turned slow while the job ran, as the watcher of the first node leaves them
// in that node's memory for whoever writes the job's file.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "runtime/explain/observer/format.hpp"
#include "runtime/explain/observer/job_line.hpp"

namespace leadline::explain {

struct SlowNode {
  char host[sizeof(Header::host)];
  u64 since_s, until_s;  // since 1970; until 0: it was not over
  u64 percent;           // as long for each call as before
};

struct KeptSlowNodes {
  static constexpr u64 kMost = 16;
  u64 used;
  SlowNode each[kMost];
};
// Behind the turn.
constexpr u64 kSlowNodesOffset = NodeFile::kTurnOffset + sizeof(u64);
static_assert(kSlowNodesOffset + sizeof(KeptSlowNodes) <= kPage);

// What begins when one that is there began is the same.
inline void keep_slow_node(const NodeFile& file, const SlowNode& node) {
  auto& kept = *file.at<KeptSlowNodes>(kSlowNodesOffset);
  for (u64 index = 0; index < kept.used; ++index) {
    SlowNode& each = kept.each[index];
    if (each.since_s != node.since_s || std::strcmp(each.host, node.host) != 0) continue;
    std::atomic_ref(each.until_s).store(node.until_s);
    return;
  }
  if (kept.used == KeptSlowNodes::kMost) return;
  kept.each[kept.used] = node;
  std::atomic_ref(kept.used).store(kept.used + 1, std::memory_order_release);
}

// As lines of the job's file.
inline std::string slow_lines(const NodeFile& file) {
  auto& kept = *file.at<KeptSlowNodes>(kSlowNodesOffset);
  const u64 used = std::atomic_ref(kept.used).load(std::memory_order_acquire);
  std::string text;
  for (u64 index = 0; index < std::min(used, KeptSlowNodes::kMost); ++index) {
    SlowNode& each = kept.each[index];
    const std::string host(each.host, strnlen(each.host, sizeof each.host));
    text +=
        line("slow", field(host), each.since_s, std::atomic_ref(each.until_s).load(), each.percent);
  }
  return text;
}

}  // namespace leadline::explain
