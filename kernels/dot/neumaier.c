/* The rounding errors of the additions are summed apart, also where the next product is larger than
   the sum (Neumaier, ZAMM 54, 1974). */
#include "compensated.h"
#include "dot.h"

int leadline_dot_class(void) { return 2; }

double leadline_dot(int64_t n, const double* x, const double* y) {
  double sum = 0.0, rest = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    const double term = x[i] * y[i];
    const double next = sum + term;
    rest += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  return leadline_checked(sum + rest, n, x, y);
}
