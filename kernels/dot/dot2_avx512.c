/* Dot2 in 512-bit vectors. */
#include "avx512.h"
#include "compensated.h"
#include "dot.h"

int leadline_dot_class(void) { return 3; }

const char* leadline_needs(void) { return leadline_lacks_avx512(); }

#if defined(__x86_64__)
#define VECTOR __m512d
#define LANES 8
#define IN_VECTORS LEADLINE_AVX512
#define ADD _mm512_add_pd
#define SUBTRACT _mm512_sub_pd
#define MULTIPLY _mm512_mul_pd
#define MULTIPLY_SUBTRACT _mm512_fmsub_pd
#define ZERO _mm512_setzero_pd
#define LOAD _mm512_loadu_pd
#define STORE _mm512_storeu_pd
#define FIRST leadline_first8
#define TOTAL leadline_total8
#include "dot2_vectors.h"
#else
static double dot(int64_t n, const double* x, const double* y) { return n > 0 ? *x * *y : 0.0; }
#endif

double leadline_dot(int64_t n, const double* x, const double* y) {
  return leadline_checked(dot(n, x, y), n, x, y);
}
