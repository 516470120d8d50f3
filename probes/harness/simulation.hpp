// Whether the ranks are those of SimGrid's SMPI: coroutines of one thread, on a clock that only
// messages and waiting move. What that lacks is refused with `require_real`.
#pragma once

#include <string>
#include <unordered_map>

#include "harness/benchmark.hpp"

namespace leadline::probe {

#ifdef LEADLINE_SIMULATED
inline constexpr bool kSimulated = true;
#else
inline constexpr bool kSimulated = false;
#endif

// A number for the calling rank of a simulated machine.
long simulated_rank();

// The variable of this type, which each rank has for itself. Nothing else that is static may change
// after `main` begins: simulated ranks share it. SMPI could give each rank a copy, which takes five
// times as long with 256 ranks.
template <typename T>
T& of_rank() {
#ifdef LEADLINE_SIMULATED
  static std::unordered_map<long, T> of_each;
  return of_each[simulated_rank()];
#else
  thread_local T mine{};
  return mine;
#endif
}

// Throws Unavailable with this reason where ranks are simulated. For whatever SMPI 3.32 declares
// and ends the process at, what it gets wrong, what waits by looking at memory, which no other rank
// changes meanwhile, and what takes time outside of MPI, which is none there.
inline void require_real(const std::string& reason) {
  if (kSimulated) throw Unavailable("in simulation, " + reason);
}

}  // namespace leadline::probe
