// How this thread's processor treats floating-point numbers.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace leadline::probe {

#if defined(__x86_64__)
// Denormals as zeros, flush to zero, rounding; not the exceptions that have been seen.
inline constexpr std::uint64_t kFloatingPointMode = 0x8040 | 0x6000;
inline std::uint64_t floating_point_control() { return _mm_getcsr(); }
inline void set_floating_point_control(std::uint64_t control) {
  _mm_setcsr(static_cast<unsigned>(control));
}
#elif defined(__aarch64__)
// Flush to zero, rounding.
inline constexpr std::uint64_t kFloatingPointMode = 0x1000000 | 0xc00000;
inline std::uint64_t floating_point_control() {
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
inline void set_floating_point_control(std::uint64_t control) {
  asm volatile("msr fpcr, %0" : : "r"(control));
}
#else
inline constexpr std::uint64_t kFloatingPointMode = 0;
inline std::uint64_t floating_point_control() { return 0; }
inline void set_floating_point_control(std::uint64_t) {}
#endif

// Notices when anything within its life changes the mode, and puts it back.
class KeptFloatingPointMode {
 public:
  // True while the mode is what it was.
  bool kept() const { return ((floating_point_control() ^ before_) & kFloatingPointMode) == 0; }
  KeptFloatingPointMode() = default;
  KeptFloatingPointMode(const KeptFloatingPointMode&) = delete;
  KeptFloatingPointMode& operator=(const KeptFloatingPointMode&) = delete;
  ~KeptFloatingPointMode() { set_floating_point_control(before_); }

 private:
  std::uint64_t before_ = floating_point_control();
};

}  // namespace leadline::probe
