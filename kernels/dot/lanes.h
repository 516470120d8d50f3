/* The dot product without anything that only one kind of processor has. */
#ifndef LEADLINE_DOT_LANES_H
#define LEADLINE_DOT_LANES_H

#include <stdint.h>

static inline double leadline_dot_lanes(int64_t n, const double* x, const double* y) {
  enum { kLanes = 16 };
  double sums[kLanes] = {0.0};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  for (int lane = 0; i < n; ++i, ++lane) sums[lane] += x[i] * y[i];
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
  }
  return sums[0];
}

#endif
