/* 128-bit vectors of Arm, fused multiply-add, eight accumulators. */
#include "neon.h"

#include "dot.h"

const char* leadline_needs(void) { return leadline_lacks_neon(); }

double leadline_dot(int64_t n, const double* x, const double* y) {
  return leadline_dot_neon(n, x, y);
}
