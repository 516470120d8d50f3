/* The loop as everybody writes it. */
#include "dot.h"

double leadline_dot(int64_t n, const double* x, const double* y) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
