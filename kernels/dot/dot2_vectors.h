/* Dot2 in vectors: four vectors of sums of two parts each, then their exact sum, rounded (Yamanaka,
   Ogita, Rump, Oishi, Parallel Computing 34(6-8), 2008).

   Written once for all instruction sets. The file that includes it says before what they are:
   VECTOR, a type of LANES doubles; IN_VECTORS, what stands before a function that uses them; ADD,
   SUBTRACT, MULTIPLY, MULTIPLY_SUBTRACT(a, b, c) = a b - c; ZERO(), LOAD(x), STORE(x, vector);
   FIRST(x, count), the first `count` < LANES doubles and zeros; TOTAL(vector), the sum of its
   lanes. */
#include "compensated.h"

typedef struct {
  VECTOR sum;
  VECTOR rest;
} Parts;

IN_VECTORS Parts add(Parts to, VECTOR value, VECTOR error) {
  const VECTOR next = ADD(to.sum, value);
  const VECTOR part = SUBTRACT(next, to.sum);
  const VECTOR lost = ADD(SUBTRACT(to.sum, SUBTRACT(next, part)), SUBTRACT(value, part));
  const Parts parts = {next, ADD(to.rest, ADD(error, lost))};
  return parts;
}

IN_VECTORS Parts add_product(Parts to, VECTOR x, VECTOR y) {
  const VECTOR value = MULTIPLY(x, y);
  return add(to, value, MULTIPLY_SUBTRACT(x, y, value));
}

IN_VECTORS Parts add_at(Parts to, const double* x, const double* y) {
  return add_product(to, LOAD(x), LOAD(y));
}

IN_VECTORS double dot(int64_t n, const double* x, const double* y) {
  const Parts zero = {ZERO(), ZERO()};
  Parts a = zero, b = zero, c = zero, d = zero;
  int64_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    a = add_at(a, x + i, y + i);
    b = add_at(b, x + i + LANES, y + i + LANES);
    c = add_at(c, x + i + 2 * LANES, y + i + 2 * LANES);
    d = add_at(d, x + i + 3 * LANES, y + i + 3 * LANES);
  }
  for (; i + LANES <= n; i += LANES) a = add_at(a, x + i, y + i);
  b = add_product(b, FIRST(x + i, n - i), FIRST(y + i, n - i));
  a = add(a, b.sum, b.rest);
  c = add(c, d.sum, d.rest);
  a = add(a, c.sum, c.rest);
  double sums[LANES];
  STORE(sums, a.sum);
  double sum = 0.0, rest = TOTAL(a.rest);
  for (int lane = 0; lane < LANES; ++lane) {
    const struct LeadlineExact next = leadline_two_sum(sum, sums[lane]);
    sum = next.value;
    rest += next.error;
  }
  return sum + rest;
}
