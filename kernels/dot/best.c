/* The fastest of the plain sums that this processor can run. */
#include "avx2.h"
#include "avx512.h"
#include "dot.h"
#include "lanes.h"
#include "neon.h"

double leadline_dot(int64_t n, const double* x, const double* y) {
  if (leadline_lacks_avx512() == NULL) return leadline_dot_avx512(n, x, y);
  if (leadline_lacks_avx2() == NULL) return leadline_dot_avx2(n, x, y);
  if (leadline_lacks_neon() == NULL) return leadline_dot_neon(n, x, y);
  return leadline_dot_lanes(n, x, y);
}
