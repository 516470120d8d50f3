// Counts the calls of two PEs and more that reach the library, and prints PE 0's at the end. To be
// preloaded after leadline's library.
#include <shmem.h>
#include <stdio.h>

void pshmem_finalize(void);

#define COUNTED(name, parameters, arguments)  \
  static long calls_of_##name;                \
  void pshmem_##name parameters;              \
  void shmem_##name parameters {              \
    calls_of_##name += size > 1 && count > 0; \
    pshmem_##name arguments;                  \
  }
COUNTED(broadcast64,
        (void* to, const void* from, size_t count, int root, int start, int stride, int size,
         long* sync),
        (to, from, count, root, start, stride, size, sync))
COUNTED(double_sum_to_all,
        (double* to, const double* from, int count, int start, int stride, int size, double* work,
         long* sync),
        (to, from, count, start, stride, size, work, sync))
COUNTED(fcollect64,
        (void* to, const void* from, size_t count, int start, int stride, int size, long* sync),
        (to, from, count, start, stride, size, sync))
COUNTED(alltoall64,
        (void* to, const void* from, size_t count, int start, int stride, int size, long* sync),
        (to, from, count, start, stride, size, sync))
COUNTED(alltoalls64,
        (void* to, const void* from, ptrdiff_t to_stride, ptrdiff_t from_stride, size_t count,
         int start, int stride, int size, long* sync),
        (to, from, to_stride, from_stride, count, start, stride, size, sync))

void shmem_finalize(void) {
  if (shmem_my_pe() == 0) {
    printf("library: %ld broadcasts, %ld sums, %ld collects, %ld alltoalls, %ld strided\n",
           calls_of_broadcast64, calls_of_double_sum_to_all, calls_of_fcollect64,
           calls_of_alltoall64, calls_of_alltoalls64);
    fflush(stdout);
  }
  pshmem_finalize();
}
