#include "runtime/explain/observer/shmem/set.hpp"

#include <shmem.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

namespace leadline::explain {
namespace {

struct Set {
  u64 key;
  Group group;
};

std::atomic_flag sets_guard;
std::vector<std::unique_ptr<Set>>& sets = *new std::vector<std::unique_ptr<Set>>;
int slots_used = 0;

// By what the program names them. What it named last is found at once.
struct Known {
  u64 name = 0;
  Group* set = nullptr;
};
std::vector<Known>& active_sets = *new std::vector<Known>;
std::vector<Known>& teams = *new std::vector<Known>;
thread_local Known last_set;

u64 key_of(const std::vector<int>& pes) {
  u64 hash = 14695981039346656037U;
  for (const int pe : pes) hash = (hash ^ static_cast<u64>(pe)) * 1099511628211U;
  return hash | 1U;
}

// The same ring for all that names the same PEs. Under the guard.
Group* set_of(std::vector<int> pes) {
  const u64 key = key_of(pes);
  for (const std::unique_ptr<Set>& known : sets) {
    if (known->key == key) return &known->group;
  }
  Group group;
  group.number = key;
  group.size = static_cast<int>(pes.size());
  group.rank = kNoPeer;
  group.nodes = count_nodes(pes);
  group.agreed = true;
  for (std::size_t i = 0; i < pes.size(); ++i) {
    const int rank = static_cast<int>(i);
    if (pes[i] == observer.rank) group.rank = rank;
    const bool is_here = observer.index_of[static_cast<std::size_t>(pes[i])] >= 0;
    if (is_here && pes[i] != observer.rank) {
      group.here.push_back({.rank = rank, .world = pes[i], .ring = nullptr});
    }
  }
  if (group.rank == kNoPeer) return nullptr;
  group.world_of = std::move(pes);
  if (slots_used < kSlots) group.own = ring_of(observer.index, slots_used++);
  if (group.own != nullptr) group.own->key.store(key, std::memory_order_release);
  group.all_have_rings = group.own != nullptr;
  sets.push_back(std::make_unique<Set>(Set{.key = key, .group = std::move(group)}));
  return &sets.back()->group;
}

// Of a PE's rings, that of a set; `is_full` where it can never get one.
const Ring* find_ring(int index, u64 key, bool& is_full) {
  for (int slot = 0; slot < kSlots; ++slot) {
    const Ring* const ring = ring_of(index, slot);
    if (ring == nullptr) return nullptr;
    const u64 there = ring->key.load(std::memory_order_acquire);
    if (there == key) return ring;
    if (there == 0) return nullptr;
  }
  is_full = true;
  return nullptr;
}

}  // namespace

Group& all_pes() {
  static Group* const all = [] {
    std::vector<int> pes(static_cast<std::size_t>(observer.ranks));
    std::iota(pes.begin(), pes.end(), 0);
    const Guard guard(sets_guard);
    return set_of(std::move(pes));
  }();
  return *all;
}

Group* active_set(int start, int log_stride, int size) {
  const std::int64_t last =
      start + (static_cast<std::int64_t>(size) - 1) * (std::int64_t{1} << (log_stride & 31));
  if (start < 0 || log_stride < 0 || log_stride > 30 || size < 1 || last >= observer.ranks) {
    return nullptr;
  }
  if (size == observer.ranks) return &all_pes();
  const u64 name = (static_cast<u64>(start) + 1) << 37U | static_cast<u64>(log_stride) << 32U |
                   static_cast<u32>(size);
  if (last_set.name == name) return last_set.set;
  const Guard guard(sets_guard);
  for (const Known& known : active_sets) {
    if (known.name == name) return (last_set = known).set;
  }
  std::vector<int> pes;
  for (int i = 0; i < size; ++i) pes.push_back(start + (i << log_stride));
  last_set = {.name = name, .set = set_of(std::move(pes))};
  active_sets.push_back(last_set);
  return last_set.set;
}

#ifdef SHMEM_TEAM_WORLD
Group* team(Word handle) {
  const auto name = static_cast<u64>(handle);
  const Guard guard(sets_guard);
  for (const Known& known : teams) {
    if (known.name == name) return known.set;
  }
  shmem_team_t of{};
  std::memcpy(&of, &handle, sizeof of);
  std::vector<int> pes;
  for (int i = 0; i < shmem_team_n_pes(of); ++i) {
    pes.push_back(shmem_team_translate_pe(of, i, SHMEM_TEAM_WORLD));
  }
  teams.push_back({.name = name, .set = pes.empty() ? nullptr : set_of(std::move(pes))});
  return teams.back().set;
}
#else
Group* team(Word) { return nullptr; }
#endif

void forget_team(Word handle) {
  const Guard guard(sets_guard);
  std::erase_if(teams, [&](const Known& known) { return known.name == static_cast<u64>(handle); });
}

void find_rings(Group& set) {
  if (!set.all_have_rings) return;
  const u64 key = set.own->key.load(std::memory_order_relaxed);
  for (Member& member : set.here) {
    if (member.ring != nullptr) continue;
    bool is_full = false;
    const int index = observer.index_of[static_cast<std::size_t>(member.world)];
    member.ring = find_ring(index, key, is_full);
    if (is_full) set.all_have_rings = false;
  }
}

}  // namespace leadline::explain
