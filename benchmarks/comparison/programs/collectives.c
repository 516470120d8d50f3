/* Collectives back to back, as a program that knows nothing of leadline calls them.
 *
 *     collectives LARGEST_BYTES COLLECTIVE...
 *
 * Of each collective and size (bytes of one rank's data, doubles, powers of two from 8) it prints
 * `COLLECTIVE BYTES SECONDS`: median over batches of the time of one call on the slowest rank. What
 * arrives is checked, with other values each time. `copy BYTES SECONDS` is memcpy of so many bytes
 * on every rank at once, `self 8 SECONDS` an allreduce on MPI_COMM_SELF. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5 };

static int rank, size;
/* The same block for each rank, said for each. */
static int *counts, *offsets;
static double *in, *out;

static void allreduce(int n) { MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void barrier(int n) {
  (void)n;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(int n) { MPI_Bcast(rank == 0 ? in : out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void reduce(int n) { MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static void allgather(int n) {
  MPI_Allgather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void alltoall(int n) { MPI_Alltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD); }
static void reduce_scatter_block(int n) {
  MPI_Reduce_scatter_block(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void spread(int n) {
  for (int i = 0; i < size; ++i) counts[i] = n, offsets[i] = i * n;
}
static void gather(int n) { MPI_Gather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void scatter(int n) {
  MPI_Scatter(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void allgatherv(int n) {
  spread(n);
  MPI_Allgatherv(in, n, MPI_DOUBLE, out, counts, offsets, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void reduce_scatter(int n) {
  spread(n);
  MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(int n) { MPI_Scan(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void exscan(int n) { MPI_Exscan(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void gatherv(int n) {
  spread(n);
  MPI_Gatherv(in, n, MPI_DOUBLE, out, counts, offsets, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void scatterv(int n) {
  spread(n);
  MPI_Scatterv(in, counts, offsets, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void alltoallv(int n) {
  spread(n);
  MPI_Alltoallv(in, counts, offsets, MPI_DOUBLE, out, counts, offsets, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void copy(int n) { memcpy(out, in, n * sizeof *in); }
static void self(int n) { MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF); }

/* Element i of what `from` sends the `seed`-th time; sums of it are exact. */
static double sent(int from, long i, int seed) { return from + 1 + (i * 7 + seed) % 1013; }

/* Element i of what must have arrived; n elements are one rank's data. */
static double sum(long i, int ranks, int seed) {
  double all = 0;
  for (int from = 0; from < ranks; ++from) all += sent(from, i, seed);
  return all;
}
static double want_sum(long i, int n, int seed) { return (void)n, sum(i, size, seed); }
static double want_scan(long i, int n, int seed) { return (void)n, sum(i, rank + 1, seed); }
static double want_exscan(long i, int n, int seed) { return (void)n, sum(i, rank, seed); }
static double want_first(long i, int n, int seed) { return (void)n, sent(0, i, seed); }
static double want_gathered(long i, int n, int seed) { return sent((int)(i / n), i % n, seed); }
static double want_exchanged(long i, int n, int seed) {
  return sent((int)(i / n), (long)rank * n + i % n, seed);
}
static double want_scattered(long i, int n, int seed) { return sent(0, (long)rank * n + i, seed); }
static double want_block(long i, int n, int seed) { return sum((long)rank * n + i, size, seed); }
static double want_own(long i, int n, int seed) { return (void)n, sent(rank, i, seed); }

/* `gives` and `gets` are whether one rank's data is for all ranks, or comes from all. */
static const struct {
  const char* name;
  void (*call)(int);
  double (*want)(long, int, int);
  int gives, gets, on_root, on_others;
} kinds[] = {
    {"allreduce", allreduce, want_sum, 0, 0, 1, 1},
    {"barrier", barrier, NULL, 0, 0, 0, 0},
    {"bcast", bcast, want_first, 0, 0, 0, 1},
    {"reduce", reduce, want_sum, 0, 0, 1, 0},
    {"allgather", allgather, want_gathered, 0, 1, 1, 1},
    {"alltoall", alltoall, want_exchanged, 1, 1, 1, 1},
    {"reduce_scatter_block", reduce_scatter_block, want_block, 1, 0, 1, 1},
    {"reduce_scatter", reduce_scatter, want_block, 1, 0, 1, 1},
    {"scan", scan, want_scan, 0, 0, 1, 1},
    {"exscan", exscan, want_exscan, 0, 0, 0, 1},
    {"gather", gather, want_gathered, 0, 1, 1, 0},
    {"scatter", scatter, want_scattered, 1, 0, 1, 1},
    {"allgatherv", allgatherv, want_gathered, 0, 1, 1, 1},
    {"gatherv", gatherv, want_gathered, 0, 1, 1, 0},
    {"scatterv", scatterv, want_scattered, 1, 0, 1, 1},
    {"alltoallv", alltoallv, want_exchanged, 1, 1, 1, 1},
    {"copy", copy, want_own, 0, 0, 1, 1},
    {"self", self, want_own, 0, 0, 1, 1},
};

static void check(int kind, int n, int seed) {
  const long gives = kinds[kind].gives ? (long)n * size : n;
  const long gets = kinds[kind].gets ? (long)n * size : n;
  for (long i = 0; i < gives; ++i) in[i] = sent(rank, i, seed);
  memset(out, 0, gets * sizeof *out);
  kinds[kind].call(n);
  if (rank == 0 ? !kinds[kind].on_root : !kinds[kind].on_others) return;
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
  check(kind, n, 1);
  for (int batch = 0; batch < BATCHES; ++batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) kinds[kind].call(n);
    double spent = (MPI_Wtime() - begin) / calls;
    MPI_Allreduce(&spent, &times[batch], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  check(kind, n, 2);
  qsort(times, BATCHES, sizeof *times, ascending);
  if (rank != 0) return;
  printf("%s %ld %.4e\n", kinds[kind].name, kinds[kind].want ? bytes : 0, times[BATCHES / 2]);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long largest = count > 1 ? atol(words[1]) : 8;
  counts = malloc(size * sizeof *counts);
  offsets = malloc(size * sizeof *offsets);
  if (posix_memalign((void**)&in, 4096, largest * size) != 0 ||
      posix_memalign((void**)&out, 4096, largest * size) != 0) {
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  memset(in, 0, largest * size);
  memset(out, 0, largest * size);
  for (int word = 2; word < count; ++word) {
    for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); ++kind) {
      if (strcmp(kinds[kind].name, words[word]) != 0) continue;
      const int once = kinds[kind].want == NULL || kinds[kind].call == self;
      for (long bytes = 8; bytes <= (once ? 8 : largest); bytes *= 2) {
        measure(kind, (int)(bytes / 8));
      }
    }
  }
  free(counts);
  free(offsets);
  free(in);
  free(out);
  return MPI_Finalize();
}
