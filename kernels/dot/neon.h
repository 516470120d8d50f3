/* The dot product in 128-bit vectors with fused multiply-add, as every 64-bit Arm core has them. */
#ifndef LEADLINE_DOT_NEON_H
#define LEADLINE_DOT_NEON_H

#include <stddef.h>
#include <stdint.h>

#if defined(__aarch64__)
#include <arm_neon.h>

static inline const char* leadline_lacks_neon(void) { return NULL; }

static inline float64x2_t leadline_add2(float64x2_t sum, const double* x, const double* y) {
  return vfmaq_f64(sum, vld1q_f64(x), vld1q_f64(y));
}

static inline double leadline_dot_neon(int64_t n, const double* x, const double* y) {
  float64x2_t a = vdupq_n_f64(0.0), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    a = leadline_add2(a, x + i, y + i);
    b = leadline_add2(b, x + i + 2, y + i + 2);
    c = leadline_add2(c, x + i + 4, y + i + 4);
    d = leadline_add2(d, x + i + 6, y + i + 6);
    e = leadline_add2(e, x + i + 8, y + i + 8);
    f = leadline_add2(f, x + i + 10, y + i + 10);
    g = leadline_add2(g, x + i + 12, y + i + 12);
    h = leadline_add2(h, x + i + 14, y + i + 14);
  }
  for (; i + 2 <= n; i += 2) a = leadline_add2(a, x + i, y + i);
  const float64x2_t abcd = vaddq_f64(vaddq_f64(a, b), vaddq_f64(c, d));
  const float64x2_t efgh = vaddq_f64(vaddq_f64(e, f), vaddq_f64(g, h));
  const double sum = vaddvq_f64(vaddq_f64(abcd, efgh));
  return i < n ? sum + x[i] * y[i] : sum;
}

#else
static inline const char* leadline_lacks_neon(void) { return "NEON of a 64-bit Arm processor"; }
static inline double leadline_dot_neon(int64_t n, const double* x, const double* y) {
  return n > 0 ? *x * *y : 0.0;
}
#endif

#endif
