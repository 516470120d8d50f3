/* Eight products a turn, added to one sum from the first to the last. */
#include "dot.h"

double leadline_dot(int64_t n, const double* x, const double* y) {
  double sum = 0.0;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    sum += x[i] * y[i];
    sum += x[i + 1] * y[i + 1];
    sum += x[i + 2] * y[i + 2];
    sum += x[i + 3] * y[i + 3];
    sum += x[i + 4] * y[i + 4];
    sum += x[i + 5] * y[i + 5];
    sum += x[i + 6] * y[i + 6];
    sum += x[i + 7] * y[i + 7];
  }
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
