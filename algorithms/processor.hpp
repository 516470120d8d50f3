// What the processor has, asked of itself: builds are for any of its family, and what a compiler's
// library answers is not the same everywhere (Zig's says no to all).
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace leadline {

struct Processor {
  bool avx2 = false;  // and fused multiplication and addition
  bool avx512f = false;
  bool is_intel = false;
};

inline Processor ask_processor() {
  Processor found;
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d) != 0) found.is_intel = b == signature_INTEL_ebx;
  constexpr unsigned kSavesAvxAndFma = bit_OSXSAVE | bit_AVX | bit_FMA;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
  if ((c & kSavesAvxAndFma) != kSavesAvxAndFma) return found;
  // Which registers the system keeps for each thread.
  unsigned kept = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
  constexpr unsigned kAvx = 0x6;
  constexpr unsigned kAvx512 = 0xe6;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
  found.avx2 = (kept & kAvx) == kAvx && (b & bit_AVX2) != 0;
  found.avx512f = (kept & kAvx512) == kAvx512 && (b & bit_AVX512F) != 0;
#endif
  return found;
}

inline const Processor processor = ask_processor();

// What a body in these brackets is made of stands in its caller, whose vectors it gets:
// `by_widest_vectors([&]() LEADLINE_INLINED { ... })`.
#define LEADLINE_INLINED __attribute__((always_inline))

#if defined(__x86_64__)
template <typename Body>
__attribute__((target("avx2"))) auto by_avx2(const Body& body) {
  return body();
}
template <typename Body>
__attribute__((target("avx512f"))) auto by_avx512(const Body& body) {
  return body();
}
#endif

// Runs the version of the body that has the widest vectors of this processor.
template <typename Body>
auto by_widest_vectors(const Body& body) {
#if defined(__x86_64__)
  if (processor.avx512f) return by_avx512(body);
  if (processor.avx2) return by_avx2(body);
#endif
  return body();
}

}  // namespace leadline
