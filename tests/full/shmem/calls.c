// Counts the calls of two PEs and more that reach the library, and prints PE 0's at the end. To be
// preloaded after leadline's library.
#include <shmem.h>
#include <stdio.h>

static long broadcasts, sums, collects, alltoalls, strided;

void pshmem_broadcast64(void*, const void*, size_t, int, int, int, int, long*);
void pshmem_double_sum_to_all(double*, const double*, int, int, int, int, double*, long*);
void pshmem_fcollect64(void*, const void*, size_t, int, int, int, long*);
void pshmem_alltoall64(void*, const void*, size_t, int, int, int, long*);
void pshmem_alltoalls64(void*, const void*, ptrdiff_t, ptrdiff_t, size_t, int, int, int, long*);
void pshmem_finalize(void);

void shmem_broadcast64(void* to, const void* from, size_t count, int root, int start, int stride,
                       int size, long* sync) {
  broadcasts += size > 1 && count > 0;
  pshmem_broadcast64(to, from, count, root, start, stride, size, sync);
}

void shmem_double_sum_to_all(double* to, const double* from, int count, int start, int stride,
                             int size, double* work, long* sync) {
  sums += size > 1 && count > 0;
  pshmem_double_sum_to_all(to, from, count, start, stride, size, work, sync);
}

void shmem_fcollect64(void* to, const void* from, size_t count, int start, int stride, int size,
                      long* sync) {
  collects += size > 1 && count > 0;
  pshmem_fcollect64(to, from, count, start, stride, size, sync);
}

void shmem_alltoall64(void* to, const void* from, size_t count, int start, int stride, int size,
                      long* sync) {
  alltoalls += size > 1 && count > 0;
  pshmem_alltoall64(to, from, count, start, stride, size, sync);
}

void shmem_alltoalls64(void* to, const void* from, ptrdiff_t to_stride, ptrdiff_t from_stride,
                       size_t count, int start, int stride, int size, long* sync) {
  strided += size > 1 && count > 0;
  pshmem_alltoalls64(to, from, to_stride, from_stride, count, start, stride, size, sync);
}

void shmem_finalize(void) {
  if (shmem_my_pe() == 0) {
    printf("library: %ld broadcasts, %ld sums, %ld collects, %ld alltoalls, %ld strided\n",
           broadcasts, sums, collects, alltoalls, strided);
    fflush(stdout);
  }
  pshmem_finalize();
}
