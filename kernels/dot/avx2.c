/* 256-bit vectors, fused multiply-add, eight accumulators; streams where arrays are long. */
#include "avx2.h"

#include "dot.h"

const char* leadline_needs(void) { return leadline_lacks_avx2(); }

double leadline_dot(int64_t n, const double* x, const double* y) {
  return leadline_dot_avx2(n, x, y);
}
