// Calls that the report has to tell apart. "leave" ends without shmem_finalize.
#include <shmem.h>
#include <stdlib.h>

static double from[512], to[512], work[512 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
enum { kWords = SHMEM_REDUCE_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_ALLTOALLS_SYNC_SIZE };
static long sync[2][kWords];

static void sum(int count, int times) {
  for (int i = 0; i < times; ++i) {
    shmem_double_sum_to_all(to, from, count, 0, 0, shmem_n_pes(), work, sync[0]);
    shmem_barrier_all();
  }
}

int main(int count, char** arguments) {
  (void)arguments;
  shmem_init();
  const int pes = shmem_n_pes();
  for (int i = 0; i < kWords; ++i) sync[0][i] = sync[1][i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  void* const memory = shmem_malloc(1000);
  sum(4, 10);
  sum(8, 3);
  sum(512, 2);
  for (int i = 0; i < 5; ++i) {
    shmem_broadcast64(to, from, 16, 0, 0, 0, pes, sync[0]);
    shmem_barrier_all();
  }
  shmem_broadcast64(to, from, 0, 0, 0, 0, pes, sync[1]);
  shmem_barrier_all();
  shmem_alltoalls64(to, from, 1, 1, 2, 0, 0, pes, sync[1]);
  shmem_barrier_all();
  shmem_free(memory);
  if (count > 1) exit(0);
  shmem_finalize();
}
