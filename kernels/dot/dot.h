/* The entry of a kernel of node/dot: the sum of x[i] * y[i] over i < n. Neither array need be
   aligned to more than its elements. */
#ifndef LEADLINE_DOT_H
#define LEADLINE_DOT_H

#include "../kernel.h"

LEADLINE_ENTRY double leadline_dot(int64_t n, const double* x, const double* y);

/* The error that a kernel promises: 1 or not there, that of a plain sum in any order; 2, that of
   compensated summation of rounded products; 3, that of a sum in twice the working precision
   (docs/explanation/applications.md has the bounds). */
LEADLINE_ENTRY int leadline_dot_class(void);

#endif
