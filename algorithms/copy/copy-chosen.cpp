// The fastest routine for each size, as node/memcpy measured them.
#include <cstring>
#include <limits>

#include "algorithms/caches.hpp"
#include "algorithms/copy/copy.hpp"
#include "algorithms/copy/vectors.hpp"

namespace leadline {
namespace {

struct Choice {
  CopyRoutine::Function* in_caches;
  CopyRoutine::Function* past_caches;
  std::size_t cached_bytes;
};

// Source and target stay in the last cache up to half of it. Half of that is left to others: what
// is stored past the caches must be fetched again by whoever wants it next.
Choice choose() {
  if (!X86_HAS("avx2")) {
    return {std::memcpy, std::memcpy, std::numeric_limits<std::size_t>::max()};
  }
  return {X86_ONLY(copy_avx2), X86_ONLY(copy_non_temporal), read_caches().last / 4};
}

// Until it is known, for whoever copies while the program's own constants are being made.
Choice choice{std::memcpy, std::memcpy, 0};
[[maybe_unused]] const bool known = (choice = choose(), true);

const CopyRoutine chosen{"chosen", "leadline's choice for each size, by the caches of the machine",
                         copy_memory};

}  // namespace

void* copy_memory(void* to, const void* from, std::size_t bytes) {
  if (bytes <= kShortCopyBytes) {
    copy_short(static_cast<unsigned char*>(to), static_cast<const unsigned char*>(from), bytes);
    return to;
  }
  return (bytes <= choice.cached_bytes ? choice.in_caches : choice.past_caches)(to, from, bytes);
}

}  // namespace leadline
