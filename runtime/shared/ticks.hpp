// The processor's own clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace leadline::runtime {

// Reads the processor's own counter where it has one that any program may read.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

}  // namespace leadline::runtime
