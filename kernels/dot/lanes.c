/* Sixteen partial sums, each of every sixteenth product: vectors of any length fit, and no sum has
   to be reordered for them. */
#include "lanes.h"

#include "dot.h"

double leadline_dot(int64_t n, const double* x, const double* y) {
  return leadline_dot_lanes(n, x, y);
}
