/* A sum that the compiler may reorder, said in OpenMP's words. */
#include "dot.h"

double leadline_dot(int64_t n, const double* x, const double* y) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
