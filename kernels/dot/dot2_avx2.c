/* Dot2 in 256-bit vectors. */
#include "avx2.h"
#include "compensated.h"
#include "dot.h"

int leadline_dot_class(void) { return 3; }

const char* leadline_needs(void) { return leadline_lacks_avx2(); }

#if defined(__x86_64__)
#define VECTOR __m256d
#define LANES 4
#define IN_VECTORS LEADLINE_AVX2
#define ADD _mm256_add_pd
#define SUBTRACT _mm256_sub_pd
#define MULTIPLY _mm256_mul_pd
#define MULTIPLY_SUBTRACT _mm256_fmsub_pd
#define ZERO _mm256_setzero_pd
#define LOAD _mm256_loadu_pd
#define STORE _mm256_storeu_pd
#define FIRST leadline_first4
#define TOTAL leadline_total4
#include "dot2_vectors.h"
#else
static double dot(int64_t n, const double* x, const double* y) { return n > 0 ? *x * *y : 0.0; }
#endif

double leadline_dot(int64_t n, const double* x, const double* y) {
  return leadline_checked(dot(n, x, y), n, x, y);
}
