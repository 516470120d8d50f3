// As if in twice the working precision: numbers of two parts in the algorithms of the standard
// library (Dot2: Ogita, Rump, Oishi, SISC 26(6), 2005).
#include <functional>
#include <numeric>

#include "compensated.h"
#include "dot.h"

namespace {

LeadlineExact add(const LeadlineExact& sum, const LeadlineExact& product) {
  const LeadlineExact next = leadline_two_sum(sum.value, product.value);
  return {next.value, sum.error + (product.error + next.error)};
}

}  // namespace

int leadline_dot_class() { return 3; }

double leadline_dot(int64_t n, const double* x, const double* y) {
  const LeadlineExact sum =
      std::inner_product(x, x + n, y, LeadlineExact{0.0, 0.0}, add, leadline_two_product);
  return leadline_checked(sum.value + sum.error, n, x, y);
}
