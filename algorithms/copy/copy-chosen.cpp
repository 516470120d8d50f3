// The C library's memcpy itself, but where another routine was the faster wherever it was measured.
//
// Vectors of 32 and 64 bytes beat it at some sizes on some processors (by 40 % from 3 to 24 KiB in
// the first-level cache of Zen 5, where glibc 2.36 takes rep movsb) and lose at others (28 % at 512
// bytes, 60 % at 32 KiB, 9 % out of the caches): no rule for that holds on the next processor.
#include <cstring>

#include "algorithms/caches.hpp"
#include "algorithms/copy/copy.hpp"
#include "algorithms/copy/vectors.hpp"

namespace leadline {
namespace {

CopyRoutine::Function* choose(std::size_t bytes) { return copy_routine_for(2 * bytes); }

void* copy_chosen(void* to, const void* from, std::size_t bytes) {
  return choose(bytes)(to, from, bytes);
}

const CopyRoutine chosen{"chosen",
                         "leadline's choice for each size, by the caches of the machine: the C "
                         "library's memcpy, or past the caches",
                         copy_chosen,
                         {},
                         [] { return true; },
                         choose};

}  // namespace

CopyRoutine::Function* copy_routine_for(std::size_t touched) {
  // Half of it fits still, and is slower past the caches by a sixth.
  static const std::size_t most = read_caches().last;
  static CopyRoutine::Function* const past = copy_past_caches();
  return touched > most ? past : std::memcpy;
}

CopyRoutine::Function* copy_past_caches() {
#if defined(__x86_64__)
  return copy_non_temporal;
#else
  return std::memcpy;
#endif
}

}  // namespace leadline
