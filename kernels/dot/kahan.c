/* The rounding error of each addition is taken off the next product (Kahan, CACM 8(1), 1965). */
#include "compensated.h"
#include "dot.h"

int leadline_dot_class(void) { return 2; }

double leadline_dot(int64_t n, const double* x, const double* y) {
  double sum = 0.0, excess = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    const double term = x[i] * y[i] - excess;
    const double next = sum + term;
    excess = (next - sum) - term;
    sum = next;
  }
  return leadline_checked(sum, n, x, y);
}
