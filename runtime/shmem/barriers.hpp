// barrier_all, barrier, sync_all and sync (OpenSHMEM 1.4, sections 9.9.1 to 9.9.4).
//
// Barriers also complete what this PE has stored at others through the library; what it stored
// itself is visible to whoever has seen it arrive.
#pragma once

#include <shmem.h>

#include "algorithms/node/node_collectives.hpp"
#include "runtime/shmem/replacement.hpp"

namespace leadline::runtime {

// Over all PEs.
template <const Collective& collective, bool completes>
struct OfAll {
  using Function = void();
  static Decision decide() {
    Group* const group = Group::of_all();
    const int pes = group != nullptr ? group->size() : shmem_n_pes();
    return leadline::runtime::decide(collective, group, {.start = 0, .log_stride = 0, .size = pes},
                                     0);
  }
  static void carry_out(const Decision& decision) {
    if (completes) shmem_quiet();
    node::barrier(decision.group->node());
  }
};

// Over an active set.
template <const Collective& collective, bool completes>
struct OfSet {
  using Function = void(int, int, int, long*);
  static Decision decide(int start, int log_stride, int size, long*) {
    const ActiveSet set{.start = start, .log_stride = log_stride, .size = size};
    return leadline::runtime::decide(collective, Group::of(set), set, 0);
  }
  static void carry_out(const Decision& decision, int, int, int, long*) {
    if (completes) shmem_quiet();
    node::barrier(decision.group->node());
  }
};

}  // namespace leadline::runtime
