#include "algorithms/node/survey.hpp"

#include <unistd.h>

#include <algorithm>

#include "algorithms/node/node.hpp"
#include "algorithms/node/ring.hpp"
#include "algorithms/node/settings.hpp"

namespace leadline::node {
namespace {

constexpr int kMostLarge = 8;
constexpr int kMostUsual = 64;
constexpr std::size_t kLittleSlot = 4 << 10;
constexpr std::size_t kMostInLargeRings = std::size_t{64} << 20;

std::size_t large_ring_bytes() {
  long cache = -1;
#ifdef _SC_LEVEL2_CACHE_SIZE
  cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  constexpr long kLeast = 512 << 10;
  constexpr long kMost = 2 << 20;
  return 2 * static_cast<std::size_t>(std::clamp(cache, kLeast, kMost));
}

}  // namespace

Room room_for(int ranks) {
  const int alive = Node::alive();
  if (alive >= kMostUsual) return kLittle;
  const bool fits = large_ring_bytes() * static_cast<std::size_t>(ranks) <= kMostInLargeRings;
  return alive < kMostLarge && fits ? kLarge : kUsual;
}

Survey::Survey(bool yields_soon, Room room)
    : yields_soon(yields_soon),
      slot_bytes(room == kLittle ? std::min(kLittleSlot, settings().slot_bytes)
                                 : settings().slot_bytes),
      ring_bytes(Ring::kLeastSlots * slot_bytes) {
  if (room == kLarge) ring_bytes = std::max(ring_bytes, large_ring_bytes());
}

}  // namespace leadline::node
