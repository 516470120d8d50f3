/* The dot product in 512-bit vectors with fused multiply-add. */
#ifndef LEADLINE_DOT_AVX512_H
#define LEADLINE_DOT_AVX512_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>

#include "streams.h"

#define LEADLINE_AVX512 __attribute__((target("avx512f"))) static inline

static inline const char* leadline_lacks_avx512(void) {
  return __builtin_cpu_supports("avx512f") ? NULL : "AVX-512";
}

/* The first `count` of 8 elements, then zeros; what is beyond is not touched. */
LEADLINE_AVX512 __m512d leadline_first8(const double* x, int64_t count) {
  return _mm512_maskz_loadu_pd((__mmask8)((1U << count) - 1U), x);
}

LEADLINE_AVX512 __m512d leadline_add8(__m512d sum, const double* x, const double* y) {
  return _mm512_fmadd_pd(_mm512_loadu_pd(x), _mm512_loadu_pd(y), sum);
}

LEADLINE_AVX512 double leadline_total8(__m512d sum) {
  const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(sum), _mm512_extractf64x4_pd(sum, 1));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

LEADLINE_AVX512 __m512d leadline_stream8(int64_t n, const double* x, const double* y) {
  __m512d a = _mm512_setzero_pd(), b = a, c = a, d = a;
  int64_t i = 0;
  if (n >= 64 && leadline_before_line(x) > 0) {
    i = leadline_before_line(x);
    a = _mm512_mul_pd(leadline_first8(x, i), leadline_first8(y, i));
  }
  for (; i + 32 <= n; i += 32) {
    a = leadline_add8(a, x + i, y + i);
    b = leadline_add8(b, x + i + 8, y + i + 8);
    c = leadline_add8(c, x + i + 16, y + i + 16);
    d = leadline_add8(d, x + i + 24, y + i + 24);
  }
  if (i + 16 <= n) {
    a = leadline_add8(a, x + i, y + i);
    b = leadline_add8(b, x + i + 8, y + i + 8);
    i += 16;
  }
  if (i + 8 <= n) {
    c = leadline_add8(c, x + i, y + i);
    i += 8;
  }
  d = _mm512_fmadd_pd(leadline_first8(x + i, n - i), leadline_first8(y + i, n - i), d);
  return _mm512_add_pd(_mm512_add_pd(a, b), _mm512_add_pd(c, d));
}

LEADLINE_AVX512 double leadline_dot_avx512(int64_t n, const double* x, const double* y) {
  if (n < LEADLINE_STREAMS_FROM) return leadline_total8(leadline_stream8(n, x, y));
  const int64_t s = leadline_stream_elements(n);
  const int64_t head = leadline_before_line(x);
  const double *p = x + head, *q = y + head;
  __m512d a = _mm512_setzero_pd(), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  for (const double* end = p + s; p < end; p += 8, q += 8) {
    a = leadline_add8(a, p, q);
    b = leadline_add8(b, p + s, q + s);
    c = leadline_add8(c, p + 2 * s, q + 2 * s);
    d = leadline_add8(d, p + 3 * s, q + 3 * s);
    e = leadline_add8(e, p + 4 * s, q + 4 * s);
    f = leadline_add8(f, p + 5 * s, q + 5 * s);
    g = leadline_add8(g, p + 6 * s, q + 6 * s);
    h = leadline_add8(h, p + 7 * s, q + 7 * s);
  }
  const __m512d ends = _mm512_add_pd(leadline_stream8(head, x, y),
                                     leadline_stream8(n - head - 8 * s, p + 7 * s, q + 7 * s));
  const __m512d abcd = _mm512_add_pd(_mm512_add_pd(a, b), _mm512_add_pd(c, d));
  const __m512d efgh = _mm512_add_pd(_mm512_add_pd(e, f), _mm512_add_pd(g, h));
  return leadline_total8(_mm512_add_pd(_mm512_add_pd(abcd, efgh), ends));
}

#else
static inline const char* leadline_lacks_avx512(void) { return "AVX-512"; }
static inline double leadline_dot_avx512(int64_t n, const double* x, const double* y) {
  return n > 0 ? *x * *y : 0.0;
}
#endif

#endif
