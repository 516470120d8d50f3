#include "runtime/explain/observer/group.hpp"

#include <algorithm>

#include "runtime/explain/observer/cost.hpp"

namespace leadline::explain {
namespace {

// In the place of a call's number.
constexpr u64 kBeingWritten = ~u64{0};

}  // namespace

Ring* ring_of(int index, int slot) {
  return observer.rings == nullptr || slot < 0 || index < 0
             ? nullptr
             : observer.rings + std::ptrdiff_t{index} * kSlots + slot;
}

int count_nodes(const std::vector<int>& world_of) {
  std::vector<int> nodes;
  for (const int world : world_of) {
    nodes.push_back(world < 0 ? -1 : observer.node_of[static_cast<std::size_t>(world)]);
  }
  std::sort(nodes.begin(), nodes.end());
  return static_cast<int>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

u64 arrive(Group& known, u64 ticks) {
  const u64 call = ++known.calls;
  if (known.own == nullptr) return call;
  Stamp& stamp = known.own->stamps[call % Ring::kStamps];
  stamp.call.store(kBeingWritten, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  stamp.ticks.store(ticks, std::memory_order_relaxed);
  stamp.call.store(call, std::memory_order_release);
  return call;
}

Latest latest(const Group& known, Shape shape, int root, u64 call, u64 begun) {
  Latest last;
  last.partial = !known.agreed || !known.all_have_rings || known.nodes > 1;
  for (const Member& member : known.here) {
    if (shape == kFromRoot && member.rank != root) continue;
    if (shape == kFromLower && member.rank > known.rank) continue;
    if (member.ring == nullptr) continue;
    const Stamp& stamp = member.ring->stamps[call % Ring::kStamps];
    const u64 before = stamp.call.load(std::memory_order_acquire);
    const u64 ticks = stamp.ticks.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    // Of an older call, or of none: it has not come, or comes just now. Nobody waited for it.
    if (before < call || before == kBeingWritten) continue;
    if (before != call || stamp.call.load(std::memory_order_relaxed) != call) {
      // A later one took its place. Where that came before this call, so did the one asked for.
      if (ticks <= begun) continue;
      lose(&Block::lost_stamps);
      last.partial = true;
      continue;
    }
    if (ticks > last.ticks) {
      last.ticks = ticks;
      last.world = member.world;
    }
  }
  if (shape == kFromRoot && known.nodes > 1) {
    // What is known of the root is all there is to know.
    for (const Member& member : known.here) {
      if (member.rank == root) last.partial = false;
    }
  }
  return last;
}

Waited waited(const Group& known, Shape shape, int root, u64 number, const Call& call) {
  if (known.size < 2 && known.here.empty()) return {.partial = known.nodes > 1};
  if (shape == kFromRoot && known.rank == root) return {};
  // Nobody need wait for those whose data it does not get, and yet libraries may hold it until they
  // come. Where little is to be moved, a call that did not end before has waited.
  constexpr u64 kLittle = 64 << 10;
  const bool only_gives = shape == kToRoot && known.rank != root;
  const bool may_be_held = (only_gives || shape == kFromLower) && call.bytes <= kLittle;
  if (only_gives && !may_be_held) return {};
  Waited result;
  result.scale = stands_for(number, call.duration(), shape == kFromRoot ? 1 : known.here.size());
  if (result.scale == 0) return {};
  Latest last;
  if (!only_gives) last = latest(known, shape, root, number, call.begun());
  if (may_be_held) {
    const Latest of_all = latest(known, kAll, root, number, call.begun());
    if (of_all.ticks > last.ticks && of_all.ticks <= call.ended()) {
      last.ticks = of_all.ticks;
      last.world = of_all.world;
    }
  }
  result.partial = last.partial;
  if (last.ticks <= call.begun()) return result;
  result.ticks = std::min(last.ticks, call.ended()) - call.begun();
  result.culprit = last.world;
  return result;
}

}  // namespace leadline::explain
