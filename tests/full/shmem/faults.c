/* Preloaded under the probe: an OpenSHMEM library with the fault that LEADLINE_TEST_FAULT names.
   Each fault is one that the check of a benchmark must find. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8192, REORDERED = 800, STALE = 792 };

/* The library's own call of that name. */
#define OWN(name)                      \
  static __typeof__(name)* own = NULL; \
  if (own == NULL) own = (__typeof__(name)*)dlsym(RTLD_NEXT, #name)

static int faulty(const char* fault) {
  const char* wanted = getenv("LEADLINE_TEST_FAULT");
  return wanted != NULL && strcmp(wanted, fault) == 0;
}

/* The last word first, the others later: a network that keeps no order within a put. Or what was
   put before, of one size only, which the harness does not use. */
void shmem_putmem(void* target, const void* source, size_t bytes, int pe) {
  OWN(shmem_putmem);
  if (faulty("stale") && bytes == STALE) {
    static char before[STALE];
    char now[STALE];
    memcpy(now, source, STALE);
    own(target, before, STALE, pe);
    memcpy(before, now, STALE);
    return;
  }
  if (!faulty("reordering") || bytes != REORDERED) {
    own(target, source, bytes, pe);
    return;
  }
  const size_t rest = bytes - 8;
  own((char*)target + rest, (const char*)source + rest, 8, pe);
  shmem_quiet();
  usleep(2000);
  own(target, source, rest, pe);
}

/* Puts that a quiet or fence ought to deliver, and that come only with the next barrier. */
static struct {
  void* target;
  const void* source;
  size_t bytes;
  int pe;
} late[MOST];
static int late_count = 0;

void shmem_putmem_nbi(void* target, const void* source, size_t bytes, int pe) {
  OWN(shmem_putmem_nbi);
  if (!faulty("late puts") || late_count == MOST) {
    own(target, source, bytes, pe);
    return;
  }
  late[late_count].target = target;
  late[late_count].source = source;
  late[late_count].bytes = bytes;
  late[late_count++].pe = pe;
}

void shmem_barrier_all(void) {
  OWN(shmem_barrier_all);
  while (late_count > 0) {
    --late_count;
    shmem_putmem(late[late_count].target, late[late_count].source, late[late_count].bytes,
                 late[late_count].pe);
  }
  own();
}

/* One word short. */
void shmem_put64(void* target, const void* source, size_t count, int pe) {
  OWN(shmem_put64);
  own(target, source, count - (faulty("short") ? 1 : 0), pe);
}
void shmem_getmem(void* target, const void* source, size_t bytes, int pe) {
  OWN(shmem_getmem);
  own(target, source, bytes - (faulty("short") ? 1 : 0), pe);
}
void shmem_broadcast64(void* target, const void* source, size_t count, int root, int start,
                       int stride, int size, long* sync) {
  OWN(shmem_broadcast64);
  own(target, source, count - (faulty("short") ? 1 : 0), root, start, stride, size, sync);
}
void shmem_double_sum_to_all(double* target, const double* source, int count, int start, int stride,
                             int size, double* work, long* sync) {
  OWN(shmem_double_sum_to_all);
  own(target, source, count - (faulty("short") ? 1 : 0), start, stride, size, work, sync);
}

/* Strided, but packed at the target: it writes into the gaps. */
void shmem_iput64(void* target, const void* source, ptrdiff_t target_stride,
                  ptrdiff_t source_stride, size_t count, int pe) {
  OWN(shmem_iput64);
  own(target, source, target_stride, source_stride, count, pe);
  if (faulty("gaps")) shmem_uint64_p((uint64_t*)target + 1, 0, pe);
}
void shmem_iget64(void* target, const void* source, ptrdiff_t target_stride,
                  ptrdiff_t source_stride, size_t count, int pe) {
  OWN(shmem_iget64);
  own(target, source, target_stride, source_stride, count, pe);
  if (faulty("gaps")) ((uint64_t*)target)[1] = 0;
}

/* The first two blocks the wrong way round. */
static void swap_blocks(void* target, size_t words) {
  char* first = target;
  char keep[8 * MOST];
  memcpy(keep, first, 8 * words);
  memcpy(first, first + 8 * words, 8 * words);
  memcpy(first + 8 * words, keep, 8 * words);
}
void shmem_fcollect64(void* target, const void* source, size_t count, int start, int stride,
                      int size, long* sync) {
  OWN(shmem_fcollect64);
  own(target, source, count, start, stride, size, sync);
  if (faulty("order")) swap_blocks(target, count);
}
void shmem_collect64(void* target, const void* source, size_t count, int start, int stride,
                     int size, long* sync) {
  OWN(shmem_collect64);
  own(target, source, count, start, stride, size, sync);
  if (faulty("order")) swap_blocks(target, count);
}
void shmem_alltoall64(void* target, const void* source, size_t count, int start, int stride,
                      int size, long* sync) {
  OWN(shmem_alltoall64);
  own(target, source, count, start, stride, size, sync);
  if (faulty("order")) swap_blocks(target, count);
}

void shmem_alltoalls64(void* target, const void* source, ptrdiff_t to_stride, ptrdiff_t stride,
                       size_t count, int start, int log_stride, int size, long* sync) {
  OWN(shmem_alltoalls64);
  own(target, source, to_stride, stride, count, start, log_stride, size, sync);
  if (faulty("order")) swap_blocks(target, count * (size_t)to_stride);
}

/* A barrier that one PE need not wait for. */
void shmem_barrier(int start, int stride, int size, long* sync) {
  OWN(shmem_barrier);
  if (!faulty("no barrier")) own(start, stride, size, sync);
}
void shmem_sync_all(void) {
  OWN(shmem_sync_all);
  if (!faulty("no barrier")) own();
}

/* A wait that ends at once. The harness itself waits for something else than zero only. */
void shmem_ulonglong_wait_until(volatile unsigned long long* flag, int compare,
                                unsigned long long value) {
  OWN(shmem_ulonglong_wait_until);
  if (!faulty("no wait") || value == 0) own(flag, compare, value);
}

/* Atomics that lose what they should do, or say what was never there. */
unsigned long long shmem_ulonglong_atomic_fetch_add(unsigned long long* word,
                                                    unsigned long long value, int pe) {
  OWN(shmem_ulonglong_atomic_fetch_add);
  return own(word, faulty("lost update") ? 0 : value, pe);
}
void shmem_ulonglong_atomic_add(unsigned long long* word, unsigned long long value, int pe) {
  OWN(shmem_ulonglong_atomic_add);
  own(word, faulty("lost update") && shmem_my_pe() == 1 ? 0 : value, pe);
}
unsigned long long shmem_ulonglong_atomic_swap(unsigned long long* word, unsigned long long value,
                                               int pe) {
  OWN(shmem_ulonglong_atomic_swap);
  return own(word, value, pe) ^ (faulty("wrong result") ? 1 : 0);
}
unsigned long long shmem_ulonglong_atomic_compare_swap(unsigned long long* word,
                                                       unsigned long long expected,
                                                       unsigned long long value, int pe) {
  OWN(shmem_ulonglong_atomic_compare_swap);
  /* Every PE succeeds; the harness takes its mailboxes, with an expectation of zero. */
  if (faulty("lost update") && expected != 0) {
    shmem_ulonglong_atomic_swap(word, value, pe);
    return expected;
  }
  return own(word, expected, value, pe);
}
