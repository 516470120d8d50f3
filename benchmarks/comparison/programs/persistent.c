/* Persistent collectives started and waited for again and again, as a program that knows nothing of
 * leadline does.
 *
 *     persistent LARGEST_BYTES COLLECTIVE...
 *
 * Of each collective and size (bytes of one rank's data, doubles, powers of two from 8) it prints
 * `COLLECTIVE BYTES SECONDS`: median over batches of the time of MPI_Start and MPI_Wait on the
 * slowest rank. What arrives is checked, with other values each time. Collectives whose persistent
 * form it does not know are left out. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5 };

static int rank, size;
static double *in, *out;
static MPI_Request request;

static void allreduce(int n) {
  MPI_Allreduce_init(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}
static void barrier(int n) {
  (void)n;
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}
static void allgather(int n) {
  MPI_Allgather_init(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
}
static void alltoall(int n) {
  MPI_Alltoall_init(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}
static void reduce_scatter_block(int n) {
  MPI_Reduce_scatter_block_init(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &request);
}

/* Element i of what `from` sends the `seed`-th time; sums of it are exact. */
static double sent(int from, long i, int seed) { return from + 1 + (i * 7 + seed) % 1013; }
static double sum(long i, int seed) {
  double all = 0;
  for (int from = 0; from < size; ++from) all += sent(from, i, seed);
  return all;
}
static double want_sum(long i, int n, int seed) { return (void)n, sum(i, seed); }
static double want_gathered(long i, int n, int seed) { return sent((int)(i / n), i % n, seed); }
static double want_exchanged(long i, int n, int seed) {
  return sent((int)(i / n), (long)rank * n + i % n, seed);
}
static double want_block(long i, int n, int seed) { return sum((long)rank * n + i, seed); }

static const struct {
  const char* name;
  void (*make)(int);
  double (*want)(long, int, int);
  int gives, gets; /* one rank's data for all ranks, or from all */
} kinds[] = {
    {"allreduce", allreduce, want_sum, 0, 0},
    {"barrier", barrier, NULL, 0, 0},
    {"allgather", allgather, want_gathered, 0, 1},
    {"alltoall", alltoall, want_exchanged, 1, 1},
    {"reduce_scatter_block", reduce_scatter_block, want_block, 1, 0},
};

static void call(void) {
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void check(int kind, int n, int seed) {
  const long gives = kinds[kind].gives ? (long)n * size : n;
  const long gets = kinds[kind].gets ? (long)n * size : n;
  for (long i = 0; i < gives; ++i) in[i] = sent(rank, i, seed);
  memset(out, 0, gets * sizeof *out);
  call();
  if (kinds[kind].want == NULL) return;
  for (long i = 0; i < gets; ++i) {
    if (out[i] == kinds[kind].want(i, n, seed)) continue;
    fprintf(stderr, "%s of %d doubles is wrong at %ld on rank %d\n", kinds[kind].name, n, i, rank);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static int ascending(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

static void measure(int kind, int n) {
  const long bytes = n * 8L;
  const int calls = bytes <= 4096 ? 400 : bytes >= 1 << 20 ? 2 : (int)((2 << 20) / bytes);
  double times[BATCHES];
  kinds[kind].make(n);
  check(kind, n, 1);
  for (int batch = 0; batch < BATCHES; ++batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call();
    double spent = (MPI_Wtime() - begin) / calls;
    MPI_Allreduce(&spent, &times[batch], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  check(kind, n, 2);
  MPI_Request_free(&request);
  qsort(times, BATCHES, sizeof *times, ascending);
  if (rank != 0) return;
  printf("%s %ld %.4e\n", kinds[kind].name, kinds[kind].want ? bytes : 0, times[BATCHES / 2]);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long largest = count > 1 ? atol(words[1]) : 8;
  if (posix_memalign((void**)&in, 4096, largest * size) != 0 ||
      posix_memalign((void**)&out, 4096, largest * size) != 0) {
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  memset(in, 0, largest * size);
  memset(out, 0, largest * size);
  for (int word = 2; word < count; ++word) {
    for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); ++kind) {
      if (strcmp(kinds[kind].name, words[word]) != 0) continue;
      for (long bytes = 8; bytes <= (kinds[kind].want ? largest : 8); bytes *= 2) {
        measure(kind, (int)(bytes / 8));
      }
    }
  }
  free(in);
  free(out);
  return MPI_Finalize();
}
