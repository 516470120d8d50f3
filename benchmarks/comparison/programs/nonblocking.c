/* Non-blocking collectives started and waited for again and again, as a program that knows nothing
 * of leadline does.
 *
 *     nonblocking LARGEST_BYTES COLLECTIVE...
 *
 * Of each collective and size (bytes of one rank's data, doubles, powers of two from 8) it prints
 * `COLLECTIVE BYTES SECONDS`: median over batches of the time of start and MPI_Wait on the slowest
 * rank. `COLLECTIVE_worked` is the same with some 2 us of work between the two, without what the
 * work takes alone. What arrives is checked, with other values each time. Collectives that it does
 * not know are left out. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5, CALLS = 400 };

static int rank, size;
static double *in, *out;
static MPI_Request request;

static void allreduce(int n) {
  MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
}
static void barrier(int n) {
  (void)n;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
}
/* `n` doubles of each rank in all. */
static void reduce_scatter_block(int n) {
  MPI_Ireduce_scatter_block(in, out, n / size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
}

/* Element i of what `from` sends the `seed`-th time; sums of it are exact. */
static double sent(int from, long i, int seed) { return from + 1 + (i * 7 + seed) % 1013; }
static double sum(long i, int seed) {
  double all = 0;
  for (int from = 0; from < size; ++from) all += sent(from, i, seed);
  return all;
}
static double want_sum(long i, int n, int seed) { return (void)n, sum(i, seed); }
static double want_block(long i, int n, int seed) { return sum((long)rank * (n / size) + i, seed); }

static const struct {
  const char* name;
  void (*start)(int);
  double (*want)(long, int, int);
  int scatters;
} kinds[] = {
    {"allreduce", allreduce, want_sum, 0},
    {"barrier", barrier, NULL, 0},
    {"reduce_scatter_block", reduce_scatter_block, want_block, 1},
};

static volatile double result;
static void work(int steps) {
  double x = 1;
  for (int i = 0; i < steps; ++i) x = x * 0.999999 + 1e-6;
  result = x;
}

static int steps_of_2_us(void) {
  const int many = 1 << 20;
  const double begin = MPI_Wtime();
  work(many);
  const double steps = 2e-6 * many / (MPI_Wtime() - begin);
  return steps < 1 ? 1 : (int)steps;
}

static void check(int kind, int n, int seed) {
  const long gets = kinds[kind].scatters ? n / size : n;
  for (long i = 0; i < n; ++i) in[i] = sent(rank, i, seed);
  memset(out, 0, n * sizeof *out);
  kinds[kind].start(n);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
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

static void measure(int kind, int n, int steps) {
  double times[BATCHES];
  check(kind, n, 1);
  for (int batch = 0; batch < BATCHES; ++batch) {
    double begin = MPI_Wtime();
    for (int i = 0; i < CALLS && steps > 0; ++i) work(steps);
    const double alone = MPI_Wtime() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < CALLS; ++i) {
      kinds[kind].start(n);
      if (steps > 0) work(steps);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    double spent = (MPI_Wtime() - begin - alone) / CALLS;
    if (spent < 1e-9) spent = 1e-9; /* as exact as the work's own time is known */
    MPI_Allreduce(&spent, &times[batch], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  check(kind, n, 2);
  qsort(times, BATCHES, sizeof *times, ascending);
  if (rank != 0) return;
  printf("%s%s %ld %.4e\n", kinds[kind].name, steps > 0 ? "_worked" : "",
         kinds[kind].want ? n * 8L : 0, times[BATCHES / 2]);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long largest = count > 1 ? atol(words[1]) : 8;
  const int steps = steps_of_2_us();
  in = calloc(1, largest + 8);
  out = calloc(1, largest + 8);
  if (in == NULL || out == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int word = 2; word < count; ++word) {
    for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); ++kind) {
      if (strcmp(kinds[kind].name, words[word]) != 0) continue;
      const long least = kinds[kind].scatters ? 8L * size : 8;
      for (long bytes = least; bytes <= (kinds[kind].want ? largest : 8); bytes *= 2) {
        measure(kind, (int)(bytes / 8), 0);
        measure(kind, (int)(bytes / 8), steps);
      }
    }
  }
  free(in);
  free(out);
  return MPI_Finalize();
}
