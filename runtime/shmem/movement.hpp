// The collectives of a group on symmetric objects. All PEs of the group call the same ones in the
// same order, with the same sizes, which are not zero. What `out` holds and `in` must not overlap,
// unless said otherwise.
#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/node/reducer.hpp"
#include "runtime/shmem/group.hpp"

namespace leadline::runtime {

// From `in` of the root to `out` of all others.
void group_broadcast(Group& group, const void* in, void* out, std::size_t bytes, int root);

// `in` may be `out`.
void group_allreduce(Group& group, node::Reducer& reducer, const void* in, void* out,
                     std::size_t bytes);

// One block from each PE to all.
void group_allgather(Group& group, const void* in, void* out, std::size_t bytes_per_block);

// What PEs bring to a collect.
struct Shares {
  std::vector<std::size_t> sizes;  // in bytes, by rank
  std::size_t most = 0;            // of one PE
  std::size_t all = 0;
  std::size_t before = 0;  // of PEs before this one
  Group::Offset out = Group::kElsewhere;
  bool reached = false;  // PEs reach one another's `out`, which are at the same place
};

// Tells the others how many bytes this PE has, which may be none, and writes `shares`.
void tell_shares(Group& group, void* out, std::size_t bytes, Shares& shares);
// Whether so much can be collected only where it is `reached`.
bool needs_reach(const Shares& shares);
// Of PEs that have told.
void group_collect(Group& group, const Shares& shares, const void* in, void* out,
                   std::size_t bytes);

// One block from each PE to each other.
void group_alltoall(Group& group, const void* in, void* out, std::size_t bytes_per_block);

}  // namespace leadline::runtime
