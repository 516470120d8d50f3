// Whether the ranks are those of SimGrid's SMPI: coroutines of one thread, on a clock that only
// messages and waiting move. What that lacks is refused with `require_real`.
#pragma once

#include <string>

#include "harness/benchmark.hpp"

namespace leadline {

#ifdef LEADLINE_SIMULATED
inline constexpr bool kSimulated = true;
// Of a variable that each rank has for itself: SMPI gives each rank a copy of what is static, and
// none of what is a thread's.
#define LEADLINE_OF_RANK static
#else
inline constexpr bool kSimulated = false;
#define LEADLINE_OF_RANK thread_local
#endif

// Throws Unavailable with this reason where ranks are simulated. For whatever SMPI 3.32 declares
// and ends the process at, what it gets wrong, what waits by looking at memory, which no other rank
// changes meanwhile, and what takes time outside of MPI, which is none there.
inline void require_real(const std::string& reason) {
  if (kSimulated) throw Unavailable("in simulation, " + reason);
}

}  // namespace leadline
