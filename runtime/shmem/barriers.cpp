// barrier_all, barrier, sync_all and sync (OpenSHMEM 1.4, sections 9.9.1 to 9.9.4).
//
// Barriers also complete what this PE has stored at others through the library; what it stored
// itself is visible to whoever has seen it arrive.
#include <shmem.h>

#include "algorithms/shared/node_collectives.hpp"
#include "runtime/shmem/entries.hpp"

namespace leadline {
namespace {

bool takes(const Group* group) { return group != nullptr && group->takes(Collective::kBarrier, 0); }

template <bool completes>
struct OfAll {
  using Function = void();
  static void call() {
    Group* const group = Group::of_all();
    if (!takes(group)) return library_function<OfAll>();
    if (completes) shmem_quiet();
    node_barrier(group->node());
  }
};

template <bool completes>
struct OfSet {
  using Function = void(int, int, int, long*);
  static void call(int start, int log_stride, int size, long* sync) {
    Group* const group = Group::of({.start = start, .log_stride = log_stride, .size = size});
    if (!takes(group)) return library_function<OfSet>(start, log_stride, size, sync);
    if (completes) shmem_quiet();
    node_barrier(group->node());
  }
};

const Interception barrier_all = intercept<OfAll<true>>("shmem_barrier_all");
const Interception sync_all = intercept<OfAll<false>>("shmem_sync_all");
const Interception barrier = intercept<OfSet<true>>("shmem_barrier");
const Interception sync = intercept<OfSet<false>>("shmem_sync");

}  // namespace
}  // namespace leadline
