/* One PE is late by LATE_S, or what it says, in what the first argument names. Answers are
   predicted; a wrong one ends the program. */
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LATE_S 0.2
#define MANY 1000
#define MOST 16

static int pe, pes;
/* When this PE went on to what waits. */
static double entered;
static long sync_[SHMEM_ALLTOALLS_SYNC_SIZE > SHMEM_REDUCE_SYNC_SIZE ? SHMEM_ALLTOALLS_SYNC_SIZE
                                                                     : SHMEM_REDUCE_SYNC_SIZE];
static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 8];
/* Symmetric: variables of the program itself, beside those of the heap. */
static long flag, lock;
static int small[4];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void be_late(void) {
  const double begin = now();
  while ((entered = now()) < begin + LATE_S) continue;
}

static void if_last_is_late(void) {
  if (pe == pes - 1) be_late();
  entered = now();
}

static void check(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "PE %d: %s is wrong\n", pe, what);
  shmem_global_exit(9);
}

static void collective(const char* what, int64_t* in, int64_t* out) {
  double* const values = (double*)in;
  double* const sums = (double*)out;
  for (int i = 0; i < MOST * 8; ++i) in[i] = 100 * pe + i;
  if (!strcmp(what, "reduce")) values[0] = pe + 0.5;
  shmem_barrier_all();
  if_last_is_late();
  const int last = 100 * (pes - 1);
#define CASE(name, call, right) \
  if (!strcmp(what, #name)) {   \
    call;                       \
    check(right, what);         \
  }
  CASE(barrier_all, shmem_barrier_all(), 1)
  CASE(barrier, shmem_barrier(0, 0, pes, sync_), 1)
  CASE(sync, shmem_sync(0, 0, pes, sync_), 1)
  CASE(sync_all, shmem_sync_all(), 1)
  CASE(broadcast, shmem_broadcast64(out, in, 8, pes - 1, 0, 0, pes, sync_),
       pe == pes - 1 || out[7] == last + 7)
  CASE(reduce, shmem_double_sum_to_all(sums, values, 1, 0, 0, pes, work, sync_),
       sums[0] == pes * pes / 2.0)
  CASE(collect, shmem_collect64(out, in, 2, 0, 0, pes, sync_), out[2 * pes - 1] == last + 1)
  CASE(fcollect, shmem_fcollect64(out, in, 2, 0, 0, pes, sync_), out[2 * pes - 1] == last + 1)
  CASE(alltoall, shmem_alltoall64(out, in, 1, 0, 0, pes, sync_), out[pes - 1] == last + pe)
  CASE(alltoalls, shmem_alltoalls64(out, in, 2, 1, 1, 0, 0, pes, sync_),
       out[2 * (pes - 1)] == last + pe)
  CASE(malloc, , shmem_malloc(64) != NULL)
}

/* PEs 0, 2, ... of an active set; the others are somewhere else. */
static void every_second(int64_t* in, int64_t* out) {
  const int members = (pes + 1) / 2;
  in[0] = pe;
  shmem_barrier_all();
  entered = now();
  if (pe % 2 == 0) {
    if (pe == 2 * (members - 1)) be_late();
    shmem_fcollect64(out, in, 1, 0, 1, members, sync_);
    for (int i = 0; i < members; ++i) check(out[i] == 2 * i, "every second");
  }
}

static void wait_for_last(const char* what, long* there) {
  long* const word = strcmp(what, "wait_static") ? there : &flag;
  shmem_barrier_all();
  entered = now();
  if (pe == pes - 1) {
    be_late();
    if (!strcmp(what, "wait_add")) {
      shmem_long_atomic_add(word, 7, 0);
    } else {
      shmem_long_p(word, 7, 0);
    }
    shmem_quiet();
  } else if (pe == 0 && !strcmp(what, "test")) {
    while (!shmem_long_test(word, SHMEM_CMP_EQ, 7)) continue;
  } else if (pe == 0) {
    shmem_long_wait_until(word, SHMEM_CMP_EQ, 7);
  }
  if (pe == 0) check(*word == 7, what);
}

static void hold(void) {
  if (pe == pes - 1) shmem_set_lock(&lock);
  shmem_barrier_all();
  entered = now();
  if (pe == pes - 1) {
    be_late();
    shmem_clear_lock(&lock);
  } else if (pe == 0) {
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
  }
  shmem_barrier_all();
}

/* Values that are passed in other registers than words, with and without a context. */
#define PASS(type, name)                                                                           \
  static void pass_##name(type* there) {                                                           \
    const int next = (pe + 1) % pes, before = (pe + pes - 1) % pes;                                \
    shmem_##name##_p(there, (type)(pe + 0.5), next);                                               \
    shmem_barrier_all();                                                                           \
    check(*there == (type)(before + 0.5), #name "_p");                                             \
    check(shmem_##name##_g(there, next) == (type)(pe + 0.5), #name "_g");                          \
    shmem_barrier_all();                                                                           \
    shmem_ctx_##name##_p(SHMEM_CTX_DEFAULT, there, (type)(pe + 1.5), next);                        \
    shmem_barrier_all();                                                                           \
    check(shmem_ctx_##name##_g(SHMEM_CTX_DEFAULT, there, next) == (type)(pe + 1.5), "ctx " #name); \
    shmem_barrier_all();                                                                           \
  }
PASS(float, float)
PASS(double, double)
PASS(long double, longdouble)
PASS(short, short)

#define SWAP(type, name)                                                                           \
  static void swap_##name(type* there) {                                                           \
    const int next = (pe + 1) % pes;                                                               \
    shmem_##name##_atomic_set(there, (type)(pe + 2.5), next);                                      \
    shmem_barrier_all();                                                                           \
    check(shmem_##name##_atomic_fetch(there, next) == (type)(pe + 2.5), #name " fetch");           \
    check(shmem_##name##_atomic_swap(there, (type)9.25, next) == (type)(pe + 2.5), #name " swap"); \
    check(                                                                                         \
        shmem_ctx_##name##_atomic_swap(SHMEM_CTX_DEFAULT, there, (type)1.75, next) == (type)9.25,  \
        #name " ctx swap");                                                                        \
    check(shmem_ctx_##name##_atomic_fetch(SHMEM_CTX_DEFAULT, there, next) == (type)1.75,           \
          #name " ctx fetch");                                                                     \
    shmem_barrier_all();                                                                           \
  }
SWAP(float, float)
SWAP(double, double)

static void values(void* there) {
  pass_float(there);
  pass_double(there);
  pass_longdouble(there);
  pass_short(there);
  swap_float(there);
  swap_double(there);
}

static void many(char* there, long* word) {
  static char block[300];
  const int next = (pe + 1) % pes, before = (pe + pes - 1) % pes;
  for (int i = 0; i < MANY; ++i) {
    memset(block, pe + i, sizeof block);
    shmem_putmem(there, block, 100, next);
    shmem_int_put(small, (int[]){pe, i, 0}, 3, next);
    shmem_fence();
    shmem_barrier_all();
    check(there[99] == (char)(before + i) && small[0] == before && small[1] == i, "put");
    shmem_getmem(block, there, 100, next);
    check(block[0] == (char)(pe + i), "get");
    shmem_long_atomic_inc(word, next);
    shmem_iput32((int*)(there + 200), small, 2, 1, 2, pe);
    shmem_barrier_all();
  }
  check(*word == MANY, "atomics");
}

static long* shared;
/* Each thread has a context of its own: of two that share the default one Open MPI 4.1.4 loses
   some adds where cores are busy, in four of ten runs. */
static void* add(void* unused) {
  (void)unused;
  shmem_ctx_t own;
  check(shmem_ctx_create(SHMEM_CTX_PRIVATE, &own) == 0, "context");
  for (int i = 0; i < MANY; ++i) shmem_ctx_long_atomic_fetch_add(own, shared, 1, (pe + 1) % pes);
  shmem_ctx_destroy(own);
  return NULL;
}

static void threads(long* word) {
  pthread_t other;
  shared = word;
  pthread_create(&other, NULL, add, NULL);
  add(NULL);
  pthread_join(other, NULL);
  shmem_barrier_all();
  check(*word == 2 * MANY, "threads");
}

static void hang(long* word) {
  if (pe == 0) printf("hangs\n");
  fflush(stdout);
  shmem_barrier_all();
  if (pe == pes - 1) shmem_long_wait_until(word, SHMEM_CMP_EQ, 1);
  if (pe != pes - 1) shmem_barrier_all();
}

int main(int count, char** words) {
  const char* const what = count > 1 ? words[1] : "barrier_all";
  int level = SHMEM_THREAD_SINGLE;
  if (!strcmp(what, "threads")) {
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
  } else {
    shmem_init();
  }
  pe = shmem_my_pe();
  pes = shmem_n_pes();
  for (unsigned i = 0; i < sizeof sync_ / sizeof *sync_; ++i) sync_[i] = SHMEM_SYNC_VALUE;
  int64_t* const in = shmem_calloc(MOST * 8, sizeof *in);
  int64_t* const out = shmem_calloc(MOST * 8, sizeof *out);
  if (!strcmp(what, "many"))
    many((char*)in, (long*)out);
  else if (!strcmp(what, "values"))
    values(in);
  else if (!strcmp(what, "threads"))
    threads((long*)out);
  else if (!strncmp(what, "wait", 4) || !strcmp(what, "test"))
    wait_for_last(what, (long*)out);
  else if (!strcmp(what, "lock"))
    hold();
  else if (!strcmp(what, "every_second"))
    every_second(in, out);
  else if (!strcmp(what, "hang"))
    hang((long*)out);
  else if (!strcmp(what, "exit"))
    exit(0);
  else if (!strcmp(what, "abort") && pe == pes - 1)
    shmem_global_exit(3);
  else
    collective(what, in, out);
  printf("PE %d entered %.6f\n", pe, entered);
  printf("ended\n");
  fflush(stdout);
  shmem_finalize();
  return 0;
}
