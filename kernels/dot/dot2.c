/* As if in twice the working precision: the rounding errors of products and additions are summed
   apart (Dot2: Ogita, Rump, Oishi, SISC 26(6), 2005). */
#include "compensated.h"
#include "dot.h"

int leadline_dot_class(void) { return 3; }

double leadline_dot(int64_t n, const double* x, const double* y) {
  double sum = 0.0, rest = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    const struct LeadlineExact product = leadline_two_product(x[i], y[i]);
    const struct LeadlineExact next = leadline_two_sum(sum, product.value);
    sum = next.value;
    rest += product.error + next.error;
  }
  return leadline_checked(sum + rest, n, x, y);
}
