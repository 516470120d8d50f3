/* Eight sums side by side, so that no addition waits for the one before. */
#include "dot.h"

double leadline_dot(int64_t n, const double* x, const double* y) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0, f = 0.0, g = 0.0, h = 0.0;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    a += x[i] * y[i];
    b += x[i + 1] * y[i + 1];
    c += x[i + 2] * y[i + 2];
    d += x[i + 3] * y[i + 3];
    e += x[i + 4] * y[i + 4];
    f += x[i + 5] * y[i + 5];
    g += x[i + 6] * y[i + 6];
    h += x[i + 7] * y[i + 7];
  }
  for (; i < n; ++i) a += x[i] * y[i];
  return ((a + b) + (c + d)) + ((e + f) + (g + h));
}
