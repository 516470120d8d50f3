/* What every kernel has in common. A kernel is one file in kernels/NAME/, compiled by itself into
   one shared library; the file's name is the value of the axis `variant`. Beside its own entry a
   library may have
     const char *leadline_needs(void)
   which is called before anything else and names the instruction set that this processor lacks, or
   is NULL; and the functions below, which tell what the flags do to code around the kernel. Every
   kernel in C or C++ has them by including this file, every one in Fortran by kernel.inc. */
#ifndef LEADLINE_KERNEL_H
#define LEADLINE_KERNEL_H

#include <math.h>
#include <stdint.h>

#ifdef __cplusplus
#define LEADLINE_ENTRY extern "C" __attribute__((visibility("default")))
#else
#define LEADLINE_ENTRY __attribute__((visibility("default")))
#endif

LEADLINE_ENTRY const char* leadline_needs(void);

LEADLINE_ENTRY int leadline_is_nan(double value);
LEADLINE_ENTRY int leadline_is_nan(double value) { return isnan(value) != 0; }

LEADLINE_ENTRY int leadline_differs_from_itself(double value);
LEADLINE_ENTRY int leadline_differs_from_itself(double value) { return value != value; }

LEADLINE_ENTRY int leadline_is_infinite(double value);
LEADLINE_ENTRY int leadline_is_infinite(double value) { return isinf(value) != 0; }

LEADLINE_ENTRY int leadline_is_finite(double value);
LEADLINE_ENTRY int leadline_is_finite(double value) { return isfinite(value) != 0; }

/* The loop of an iterative solver: goes on until the residual is small, at most `limit` times.
   Returns the number of iterations. */
LEADLINE_ENTRY int leadline_residual_loop(double (*residual)(void), int limit);
LEADLINE_ENTRY int leadline_residual_loop(double (*residual)(void), int limit) {
  int iterations = 0;
  while (iterations < limit && !(residual() <= 1e-8)) ++iterations;
  return iterations;
}

#endif
