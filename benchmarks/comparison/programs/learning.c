/* Barriers and allreduces as a program that knows nothing of leadline calls them, from its first
 * call on.
 *
 *     learning LARGEST_BYTES
 *
 * Of each size (doubles, powers of two from 8 B; 0 for a barrier) it prints NAME BYTES SECONDS:
 * `NAME.first` is the mean time of the first 1000 calls, back to back; `NAME.back` that of a call
 * back to back afterwards, and `NAME.apart` of one right after a barrier, medians on the slowest
 * rank; `NAME.whole` the sum over all calls. Results are checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 1000, BATCHES = 5, MOST = 200 };

static int rank, size;
static double *in, *out;

static int ascending(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

static double median(double* times, int count) {
  qsort(times, count, sizeof *times, ascending);
  return times[count / 2];
}

static void call(int n) {
  if (n == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static double back_to_back(int n, int calls) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call(n);
  return MPI_Wtime() - begin;
}

static double slowest(double mine) {
  double all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static void check(int n, int seed) {
  for (int i = 0; i < n; ++i) in[i] = rank + (i + seed) % 1013;
  memset(out, 0, n * sizeof *out);
  call(n);
  for (int i = 0; i < n; ++i) {
    if (out[i] == size * (size - 1) / 2.0 + (double)size * ((i + seed) % 1013)) continue;
    fprintf(stderr, "allreduce of %d doubles is wrong at %d on rank %d\n", n, i, rank);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static void measure(int n) {
  const char* const name = n == 0 ? "barrier" : "allreduce";
  const long bytes = 8L * n;
  const int calls = bytes <= 4096 ? MOST : bytes >= 1 << 20 ? 4 : (int)((4 << 20) / bytes);
  const int few = calls < MOST ? calls : MOST;
  double back[BATCHES], apart[BATCHES], each[MOST], whole = 0;
  check(n, 1);
  const double first = back_to_back(n, FIRST);
  whole += first;
  for (int batch = 0; batch < BATCHES; ++batch) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double spent = back_to_back(n, calls);
    for (int i = 0; i < few; ++i) {
      PMPI_Barrier(MPI_COMM_WORLD);
      each[i] = back_to_back(n, 1);
      whole += each[i];
    }
    whole += spent;
    back[batch] = slowest(spent / calls);
    apart[batch] = slowest(median(each, few));
  }
  check(n, 2);
  const double begin = slowest(first / FIRST);
  const double all = slowest(whole);
  if (rank != 0) return;
  printf("%s.first %ld %.4e\n%s.back %ld %.4e\n", name, bytes, begin, name, bytes,
         median(back, BATCHES));
  printf("%s.apart %ld %.4e\n%s.whole %ld %.4e\n", name, bytes, median(apart, BATCHES), name, bytes,
         all);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long largest = count > 1 ? atol(words[1]) : 8;
  if (posix_memalign((void**)&in, 4096, largest) != 0 ||
      posix_memalign((void**)&out, 4096, largest) != 0) {
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  memset(in, 0, largest);
  memset(out, 0, largest);
  measure(0);
  for (long bytes = 8; bytes <= largest; bytes *= 2) measure((int)(bytes / 8));
  return MPI_Finalize();
}
