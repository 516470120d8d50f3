/* Operations whose rounding errors are numbers of their own. */
#ifndef LEADLINE_DOT_COMPENSATED_H
#define LEADLINE_DOT_COMPENSATED_H

#include <math.h>
#include <stdint.h>

struct LeadlineExact {
  double value;
  double error;
};

/* a + b = value + error (Knuth, The Art of Computer Programming 2, section 4.2.2). */
static inline struct LeadlineExact leadline_two_sum(double a, double b) {
  const double value = a + b;
  const double b_part = value - a;
  const struct LeadlineExact exact = {value, (a - (value - b_part)) + (b - b_part)};
  return exact;
}

#if defined(__FP_FAST_FMA)
/* a * b = value + error, where nothing underflows. */
static inline struct LeadlineExact leadline_two_product(double a, double b) {
  const double value = a * b;
  const struct LeadlineExact exact = {value, fma(a, b, -value)};
  return exact;
}
#else
/* The upper half of the digits (Veltkamp 1968, in Dekker, Numer. Math. 18, 1971). */
static inline struct LeadlineExact leadline_split(double a) {
  const double scaled = 134217729.0 * a; /* 2^27 + 1 */
  const double upper = scaled - (scaled - a);
  const struct LeadlineExact exact = {upper, a - upper};
  return exact;
}

/* a * b = value + error, where nothing underflows and a and b are below 2^996 (Dekker 1971). */
static inline struct LeadlineExact leadline_two_product(double a, double b) {
  const struct LeadlineExact x = leadline_split(a), y = leadline_split(b);
  const double value = a * b;
  const double rest = ((value - x.value * y.value) - x.error * y.value) - x.value * y.error;
  const struct LeadlineExact exact = {value, x.error * y.error - rest};
  return exact;
}
#endif

/* What a compensated sum is where it is not finite: an infinity minus itself made it a NaN, and the
   plain sum says what it is. */
static inline double leadline_checked(double sum, int64_t n, const double* x, const double* y) {
  if (isfinite(sum)) return sum;
  sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

#endif
