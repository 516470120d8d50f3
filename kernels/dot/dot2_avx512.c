/* Dot2 in 512-bit vectors: 32 sums of two parts each, then their exact sum, rounded (Yamanaka,
   Ogita, Rump, Oishi, Parallel Computing 34(6-8), 2008). */
#include "avx512.h"
#include "compensated.h"
#include "dot.h"

int leadline_dot_class(void) { return 3; }

const char* leadline_needs(void) { return leadline_lacks_avx512(); }

#if defined(__x86_64__)

typedef struct {
  __m512d sum;
  __m512d rest;
} Parts;

LEADLINE_AVX512 Parts add(Parts to, __m512d value, __m512d error) {
  const __m512d next = _mm512_add_pd(to.sum, value);
  const __m512d part = _mm512_sub_pd(next, to.sum);
  const __m512d lost =
      _mm512_add_pd(_mm512_sub_pd(to.sum, _mm512_sub_pd(next, part)), _mm512_sub_pd(value, part));
  const Parts parts = {next, _mm512_add_pd(to.rest, _mm512_add_pd(error, lost))};
  return parts;
}

LEADLINE_AVX512 Parts add_product(Parts to, __m512d x, __m512d y) {
  const __m512d value = _mm512_mul_pd(x, y);
  return add(to, value, _mm512_fmsub_pd(x, y, value));
}

LEADLINE_AVX512 Parts add_at(Parts to, const double* x, const double* y) {
  return add_product(to, _mm512_loadu_pd(x), _mm512_loadu_pd(y));
}

LEADLINE_AVX512 double dot(int64_t n, const double* x, const double* y) {
  const Parts zero = {_mm512_setzero_pd(), _mm512_setzero_pd()};
  Parts a = zero, b = zero, c = zero, d = zero;
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    a = add_at(a, x + i, y + i);
    b = add_at(b, x + i + 8, y + i + 8);
    c = add_at(c, x + i + 16, y + i + 16);
    d = add_at(d, x + i + 24, y + i + 24);
  }
  for (; i + 8 <= n; i += 8) a = add_at(a, x + i, y + i);
  b = add_product(b, leadline_first8(x + i, n - i), leadline_first8(y + i, n - i));
  a = add(a, b.sum, b.rest);
  c = add(c, d.sum, d.rest);
  a = add(a, c.sum, c.rest);
  double sums[8];
  _mm512_storeu_pd(sums, a.sum);
  double sum = 0.0, rest = leadline_total8(a.rest);
  for (int lane = 0; lane < 8; ++lane) {
    const struct LeadlineExact next = leadline_two_sum(sum, sums[lane]);
    sum = next.value;
    rest += next.error;
  }
  return sum + rest;
}
#else
static double dot(int64_t n, const double* x, const double* y) { return n > 0 ? *x * *y : 0.0; }
#endif

double leadline_dot(int64_t n, const double* x, const double* y) {
  return leadline_checked(dot(n, x, y), n, x, y);
}
