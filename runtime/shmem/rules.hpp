// What the profile says about the collectives of OpenSHMEM.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace leadline {

// In profiles: shmem_barrier, which is also sync; shmem_broadcast; shmem_reduce; shmem_collect,
// which is also fcollect; shmem_alltoall.
enum class Collective { kBarrier, kBroadcast, kReduce, kCollect, kAlltoall };

class Rules {
 public:
  // Those for so many PEs of one node.
  explicit Rules(int pes);

  // Of one PE's data.
  bool take(Collective collective, std::size_t bytes) const {
    for (const Range& range : ranges_[static_cast<std::size_t>(collective)]) {
      if (bytes >= range.from && bytes <= range.to) return range.shared;
    }
    return false;
  }
  bool take_any(Collective collective) const {
    return !ranges_[static_cast<std::size_t>(collective)].empty();
  }

 private:
  struct Range {
    std::size_t from;
    std::size_t to;  // inclusive
    bool shared;
  };
  std::array<std::vector<Range>, 5> ranges_;
};

}  // namespace leadline
