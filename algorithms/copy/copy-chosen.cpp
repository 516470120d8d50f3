// The fastest routine for each size, as node/memcpy measured them.
#include <cstring>

#include "algorithms/caches.hpp"
#include "algorithms/copy/copy.hpp"
#include "algorithms/copy/vectors.hpp"

namespace leadline {
namespace {

#if defined(__x86_64__)
// Source and target stay in the last cache up to half of it. Half of that is left to others: what
// is stored past the caches must be fetched again by whoever wants it next.
const std::size_t cached_bytes = read_caches().last / 4;

void* copy_with_avx2(void* to, const void* from, std::size_t bytes) {
  return bytes <= cached_bytes ? copy_avx2(to, from, bytes) : copy_non_temporal(to, from, bytes);
}

// Up to four vectors of AVX-512 beat twice as many of half the size. Of more, twice the bytes in a
// load gain nothing, and each load that is not aligned crosses a line.
__attribute__((target("avx512f"))) void* copy_with_avx512(void* to, const void* from,
                                                          std::size_t bytes) {
  typedef unsigned char Vector __attribute__((vector_size(64), aligned(1), may_alias));
  constexpr std::size_t kWidth = sizeof(Vector);
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  if (bytes <= kShortCopyBytes) {
    copy_short(out, in, bytes);
    return to;
  }
  if (bytes <= 2 * kWidth) COPY_BOTH_ENDS(1);
  if (bytes <= 4 * kWidth) COPY_BOTH_ENDS(2);
  return copy_with_avx2(to, from, bytes);
}
#endif

const CopyRoutine chosen{"chosen", "leadline's choice for each size, by the caches of the machine",
                         fastest_copy()};

}  // namespace

CopyRoutine::Function* fastest_copy() {
  if (!X86_HAS("avx2")) return std::memcpy;
  return X86_HAS("avx512f") ? X86_ONLY(copy_with_avx512) : X86_ONLY(copy_with_avx2);
}

CopyRoutine::Function* copy_routine_for(std::size_t touched) {
  static const std::size_t most = read_caches().last / 2;
  static CopyRoutine::Function* const cached = fastest_copy();
  static CopyRoutine::Function* const past = copy_past_caches();
  return touched > most ? past : cached;
}

CopyRoutine::Function* copy_past_caches() {
#if defined(__x86_64__)
  return copy_non_temporal;
#else
  return std::memcpy;
#endif
}

}  // namespace leadline
