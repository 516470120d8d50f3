#include "runtime/explain/observer/regions.hpp"

#include <algorithm>

namespace leadline::explain {
namespace {

Region* open = nullptr;
u64 begun = 0;
Block before;  // of the rank where the open one began

// That of this level from this place; nullptr where there is no room for more.
Region* find(int level, u32 site) {
  Block& block = *observer.block;
  for (u32 i = 0; i < block.regions_used; ++i) {
    Region& known = observer.regions[i];
    if (known.level == level && known.site == site) return &known;
  }
  if (block.regions_used == kRegions) return nullptr;
  Region& made = observer.regions[block.regions_used];
  made = {.site = site, .level = level};
  std::atomic_ref(block.regions_used).store(block.regions_used + 1, std::memory_order_release);
  return &made;
}

}  // namespace

void end_region(u64 now) {
  if (open == nullptr || !thread.is_owner) return;
  const Block& block = *observer.block;
  ++open->times;
  open->ticks += now - std::min(now, begun);
  open->mpi_ticks += block.mpi_ticks - before.mpi_ticks;
  open->waiting_ticks += block.waiting_ticks - before.waiting_ticks;
  open->io_ticks += block.io_ticks - before.io_ticks;
  open->calls += block.calls - before.calls;
  open = nullptr;
}

void begin_region(int level, const Call& call) {
  if (!thread.is_owner) return;
  open = level > 0 ? find(level, call.site()) : nullptr;
  begun = call.ended();
  before = *observer.block;
}

}  // namespace leadline::explain
