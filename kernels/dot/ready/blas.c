/* ddot of the BLAS in the file LEADLINE_LIBRARY, by its C or its Fortran name, on one thread. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../dot.h"

/* Interfaces with integers of 32 and of 64 bits can be called alike: the low half of a register, or
   of a little-endian word, is what the former read. */
typedef double (*CDot)(int64_t n, const double* x, int64_t step_x, const double* y, int64_t step_y);
typedef double (*FortranDot)(const int64_t* n, const double* x, const int64_t* step_x,
                             const double* y, const int64_t* step_y);

static CDot c_dot;
static FortranDot fortran_dot;
static char problem[400];

static void* first_of(void* library, const char* const* names) {
  for (; *names; ++names) {
    void* found = dlsym(library, *names);
    if (found) return found;
  }
  return NULL;
}

static void use_one_thread(void* library) {
  static const char* const by_number[] = {"openblas_set_num_threads", "openblas_set_num_threads64_",
                                          "scipy_openblas_set_num_threads",
                                          "scipy_openblas_set_num_threads64_", NULL};
  void* set = first_of(library, by_number);
  if (set) ((void (*)(int))set)(1);
  /* Its integers may have 64 bits. */
  set = dlsym(library, "bli_thread_set_num_threads");
  if (set) ((void (*)(int64_t))set)(1);
}

static void load(void) {
  enum { kSequential = 1 };
  static const char* const c_names[] = {"cblas_ddot", "cblas_ddot64_", "scipy_cblas_ddot",
                                        "scipy_cblas_ddot64_", NULL};
  static const char* const fortran_names[] = {"ddot_", "ddot_64_", "ddot64_", "ddot", NULL};
  static const char* const variables[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                          "BLIS_NUM_THREADS", "MKL_NUM_THREADS", NULL};
  int asked = 0;
  for (const char* const* name = variables; *name; ++name) asked |= getenv(*name) != NULL;
  /* Threads that a library starts as it is loaded would stay. */
  if (!asked) setenv("OPENBLAS_NUM_THREADS", "1", 0);
  /* By its path and bound to itself, whatever BLAS the process has beside it. */
  void* library = dlopen(LEADLINE_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!asked) unsetenv("OPENBLAS_NUM_THREADS");
  if (!library) {
    snprintf(problem, sizeof problem, "a library that can be loaded: %s", dlerror());
    return;
  }
  /* MKL ends the process where it does not find the runtime library of its threads. */
  void* layer = dlsym(library, "MKL_Set_Threading_Layer");
  if (layer && !getenv("MKL_THREADING_LAYER")) ((int (*)(int))layer)(kSequential);
  if (!asked) use_one_thread(library);
  c_dot = (CDot)first_of(library, c_names);
  if (!c_dot) fortran_dot = (FortranDot)first_of(library, fortran_names);
  if (!c_dot && !fortran_dot) {
    snprintf(problem, sizeof problem, "a ddot in " LEADLINE_LIBRARY);
  }
}

const char* leadline_needs(void) {
  if (!c_dot && !fortran_dot && !*problem) load();
  return *problem ? problem : NULL;
}

double leadline_dot(int64_t n, const double* x, const double* y) {
  static const int64_t step = 1;
  return c_dot ? c_dot(n, x, 1, y, 1) : fortran_dot(&n, x, &step, y, &step);
}
