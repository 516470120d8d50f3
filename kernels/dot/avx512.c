/* 512-bit vectors, fused multiply-add, four accumulators; streams where arrays are long. */
#include "avx512.h"

#include "dot.h"

const char* leadline_needs(void) { return leadline_lacks_avx512(); }

double leadline_dot(int64_t n, const double* x, const double* y) {
  return leadline_dot_avx512(n, x, y);
}
