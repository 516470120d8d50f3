#include "runtime/explain/observer/visits.hpp"

#include <algorithm>

#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {
namespace {

constexpr int kMeets = 16;
u64 meetings = 0;

// Of the calls of a group one in 2^halved is kept, the same ones by all members.
bool is_kept(const Visit& visit, u32 halved) {
  if (halved == 0 || visit.group == kMeetings) return true;
  const u64 mixed = (visit.group * 0x9E3779B97F4A7C15U + visit.call) * 0xD6E8FEB86659FD93U;
  return (mixed ^ mixed >> 32U) % (u64{1} << halved) == 0;
}

}  // namespace

void note_visit(const Visit& visit) {
  constexpr u32 kMostHalved = 40;
  Block& block = *observer.block;
  if (observer.visit_room == 0 || visit.group == kUnknownComm) return;
  if (!is_kept(visit, block.visits_halved)) return;
  while (block.visits_used == observer.visit_room && block.visits_halved < kMostHalved) {
    const u32 halved = ++block.visits_halved;
    Visit* const end = std::remove_if(observer.visits, observer.visits + block.visits_used,
                                      [&](const Visit& each) { return !is_kept(each, halved); });
    block.visits_used = static_cast<u32>(end - observer.visits);
  }
  if (!is_kept(visit, block.visits_halved) || block.visits_used == observer.visit_room) return;
  observer.visits[block.visits_used] = visit;
  std::atomic_ref(block.visits_used).store(block.visits_used + 1, std::memory_order_release);
}

void meet(Job& job) {
  if (observer.visit_room == 0) return;
  for (int i = 0; i < kMeets; ++i) {
    Visit visit{.group = kMeetings,
                .call = ++meetings,
                .begun_ticks = ticks(),
                .row = kNoRow,
                .rank = observer.rank,
                .root = kNoPeer,
                .shape = kAll};
    job.barrier();
    visit.ended_ticks = ticks();
    note_visit(visit);
  }
}

}  // namespace leadline::explain
