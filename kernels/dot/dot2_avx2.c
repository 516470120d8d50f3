/* Dot2 in 256-bit vectors: 16 sums of two parts each, then their exact sum, rounded (Yamanaka,
   Ogita, Rump, Oishi, Parallel Computing 34(6-8), 2008). */
#include "avx2.h"
#include "compensated.h"
#include "dot.h"

int leadline_dot_class(void) { return 3; }

const char* leadline_needs(void) { return leadline_lacks_avx2(); }

#if defined(__x86_64__)

typedef struct {
  __m256d sum;
  __m256d rest;
} Parts;

LEADLINE_AVX2 Parts add(Parts to, __m256d value, __m256d error) {
  const __m256d next = _mm256_add_pd(to.sum, value);
  const __m256d part = _mm256_sub_pd(next, to.sum);
  const __m256d lost =
      _mm256_add_pd(_mm256_sub_pd(to.sum, _mm256_sub_pd(next, part)), _mm256_sub_pd(value, part));
  const Parts parts = {next, _mm256_add_pd(to.rest, _mm256_add_pd(error, lost))};
  return parts;
}

LEADLINE_AVX2 Parts add_product(Parts to, __m256d x, __m256d y) {
  const __m256d value = _mm256_mul_pd(x, y);
  return add(to, value, _mm256_fmsub_pd(x, y, value));
}

LEADLINE_AVX2 Parts add_at(Parts to, const double* x, const double* y) {
  return add_product(to, _mm256_loadu_pd(x), _mm256_loadu_pd(y));
}

LEADLINE_AVX2 double dot(int64_t n, const double* x, const double* y) {
  const Parts zero = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  Parts a = zero, b = zero, c = zero, d = zero;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    a = add_at(a, x + i, y + i);
    b = add_at(b, x + i + 4, y + i + 4);
    c = add_at(c, x + i + 8, y + i + 8);
    d = add_at(d, x + i + 12, y + i + 12);
  }
  for (; i + 4 <= n; i += 4) a = add_at(a, x + i, y + i);
  b = add_product(b, leadline_first4(x + i, n - i), leadline_first4(y + i, n - i));
  a = add(a, b.sum, b.rest);
  c = add(c, d.sum, d.rest);
  a = add(a, c.sum, c.rest);
  double sums[4];
  _mm256_storeu_pd(sums, a.sum);
  double sum = 0.0, rest = leadline_total4(a.rest);
  for (int lane = 0; lane < 4; ++lane) {
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
