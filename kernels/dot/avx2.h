/* The dot product in 256-bit vectors with fused multiply-add. */
#ifndef LEADLINE_DOT_AVX2_H
#define LEADLINE_DOT_AVX2_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>

#include "streams.h"

#define LEADLINE_AVX2 __attribute__((target("avx2,fma"))) static inline

static inline const char* leadline_lacks_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? NULL : "AVX2 with FMA";
}

/* The first `count` of 4 elements, then zeros; what is beyond is not touched. */
LEADLINE_AVX2 __m256d leadline_first4(const double* x, int64_t count) {
  const __m256i there =
      _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_set_epi64x(3, 2, 1, 0));
  return _mm256_maskload_pd(x, there);
}

LEADLINE_AVX2 __m256d leadline_add4(__m256d sum, const double* x, const double* y) {
  return _mm256_fmadd_pd(_mm256_loadu_pd(x), _mm256_loadu_pd(y), sum);
}

LEADLINE_AVX2 __m256d leadline_add_line(__m256d sum, const double* x, const double* y) {
  return leadline_add4(leadline_add4(sum, x, y), x + 4, y + 4);
}

LEADLINE_AVX2 double leadline_total4(__m256d sum) {
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

LEADLINE_AVX2 __m256d leadline_sum4(__m256d a, __m256d b, __m256d c, __m256d d) {
  return _mm256_add_pd(_mm256_add_pd(a, b), _mm256_add_pd(c, d));
}

LEADLINE_AVX2 __m256d leadline_stream4(int64_t n, const double* x, const double* y) {
  __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  int64_t i = 0;
  if (n >= 64) {
    const int64_t head = leadline_before_line(x);
    if (head >= 4) {
      a = leadline_add4(a, x, y);
      i = 4;
    }
    b = _mm256_mul_pd(leadline_first4(x + i, head - i), leadline_first4(y + i, head - i));
    i = head;
  }
  for (; i + 32 <= n; i += 32) {
    a = leadline_add4(a, x + i, y + i);
    b = leadline_add4(b, x + i + 4, y + i + 4);
    c = leadline_add4(c, x + i + 8, y + i + 8);
    d = leadline_add4(d, x + i + 12, y + i + 12);
    e = leadline_add4(e, x + i + 16, y + i + 16);
    f = leadline_add4(f, x + i + 20, y + i + 20);
    g = leadline_add4(g, x + i + 24, y + i + 24);
    h = leadline_add4(h, x + i + 28, y + i + 28);
  }
  if (i + 16 <= n) {
    a = leadline_add4(a, x + i, y + i);
    b = leadline_add4(b, x + i + 4, y + i + 4);
    c = leadline_add4(c, x + i + 8, y + i + 8);
    d = leadline_add4(d, x + i + 12, y + i + 12);
    i += 16;
  }
  if (i + 8 <= n) {
    e = leadline_add4(e, x + i, y + i);
    f = leadline_add4(f, x + i + 4, y + i + 4);
    i += 8;
  }
  if (i + 4 <= n) {
    g = leadline_add4(g, x + i, y + i);
    i += 4;
  }
  h = _mm256_fmadd_pd(leadline_first4(x + i, n - i), leadline_first4(y + i, n - i), h);
  return _mm256_add_pd(leadline_sum4(a, b, c, d), leadline_sum4(e, f, g, h));
}

LEADLINE_AVX2 double leadline_dot_avx2(int64_t n, const double* x, const double* y) {
  if (n < LEADLINE_STREAMS_FROM) return leadline_total4(leadline_stream4(n, x, y));
  const int64_t s = leadline_stream_elements(n);
  const int64_t head = leadline_before_line(x);
  const double *p = x + head, *q = y + head;
  __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  for (const double* end = p + s; p < end; p += 8, q += 8) {
    a = leadline_add_line(a, p, q);
    b = leadline_add_line(b, p + s, q + s);
    c = leadline_add_line(c, p + 2 * s, q + 2 * s);
    d = leadline_add_line(d, p + 3 * s, q + 3 * s);
    e = leadline_add_line(e, p + 4 * s, q + 4 * s);
    f = leadline_add_line(f, p + 5 * s, q + 5 * s);
    g = leadline_add_line(g, p + 6 * s, q + 6 * s);
    h = leadline_add_line(h, p + 7 * s, q + 7 * s);
  }
  const __m256d ends = _mm256_add_pd(leadline_stream4(head, x, y),
                                     leadline_stream4(n - head - 8 * s, p + 7 * s, q + 7 * s));
  const __m256d streams = _mm256_add_pd(leadline_sum4(a, b, c, d), leadline_sum4(e, f, g, h));
  return leadline_total4(_mm256_add_pd(streams, ends));
}

#else
static inline const char* leadline_lacks_avx2(void) { return "AVX2 with FMA"; }
static inline double leadline_dot_avx2(int64_t n, const double* x, const double* y) {
  return n > 0 ? *x * *y : 0.0;
}
#endif

#endif
