/* How fast a rank that waits in a collective serves another one.
 *
 *     service rma|posted COLLECTIVE...
 *
 * Rank 1 is in the collective already; rank 0, before it comes, adds to a number in the other's
 * window (`rma`: MPI_Accumulate and flush of 8 bytes), or sends to posted receives (`posted`:
 * MPI_Ssend of 1 and 64 KiB). Of each it prints `COLLECTIVE BYTES SECONDS`: the median over all
 * transfers. What arrives is checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40, TRANSFERS = 20, LARGEST = 64 << 10, COUNT = 16 };

static int rank;
static double in[2 * COUNT], out[2 * COUNT];
static char sent[LARGEST], received[TRANSFERS][LARGEST];
static MPI_Comm messages;

static void allreduce(void) { MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void bcast(void) { MPI_Bcast(in, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void reduce(void) { MPI_Reduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD); }
static void allgather(void) {
  MPI_Allgather(in, COUNT, MPI_DOUBLE, out, COUNT, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void alltoall(void) {
  MPI_Alltoall(in, COUNT, MPI_DOUBLE, out, COUNT, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void reduce_scatter_block(void) {
  MPI_Reduce_scatter_block(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
  const char* name;
  void (*call)(void);
} kinds[] = {
    {"allreduce", allreduce},
    {"barrier", barrier},
    {"bcast", bcast},
    {"reduce", reduce},
    {"allgather", allgather},
    {"alltoall", alltoall},
    {"reduce_scatter_block", reduce_scatter_block},
};

static void fail(const char* what) {
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Long enough for the other rank to wait, whatever it does while it does so. */
static void let_wait(void) {
  const double end = MPI_Wtime() + 100e-6;
  while (MPI_Wtime() < end) {
  }
}

static int ascending(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

static void print_median(const char* collective, int bytes, double* times) {
  qsort(times, ROUNDS * TRANSFERS, sizeof *times, ascending);
  printf("%s %d %.4e\n", collective, bytes, times[ROUNDS * TRANSFERS / 2]);
}

static void measure_rma(int kind) {
  static double times[ROUNDS * TRANSFERS];
  const long one = 1;
  long number = 0;
  MPI_Win window;
  MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Barrier(messages);
    if (rank == 0) let_wait();
    for (int i = 0; rank == 0 && i < TRANSFERS; ++i) {
      const double begin = MPI_Wtime();
      MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, window);
      MPI_Win_flush(1, window);
      times[round * TRANSFERS + i] = MPI_Wtime() - begin;
    }
    kinds[kind].call();
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && number != ROUNDS * TRANSFERS) fail("the sum is wrong");
  MPI_Win_free(&window);
  if (rank == 0) print_median(kinds[kind].name, 8, times);
}

static void measure_posted(int kind, int bytes) {
  static double times[ROUNDS * TRANSFERS];
  MPI_Request requests[TRANSFERS];
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; rank == 1 && i < TRANSFERS; ++i) {
      memset(received[i], 0, bytes);
      MPI_Irecv(received[i], bytes, MPI_CHAR, 0, i, messages, &requests[i]);
    }
    MPI_Barrier(messages);
    if (rank == 0) let_wait();
    for (int i = 0; rank == 0 && i < TRANSFERS; ++i) {
      memset(sent, 1 + (round + i) % 100, bytes);
      const double begin = MPI_Wtime();
      MPI_Ssend(sent, bytes, MPI_CHAR, 1, i, messages);
      times[round * TRANSFERS + i] = MPI_Wtime() - begin;
    }
    kinds[kind].call();
    if (rank == 0) continue;
    MPI_Waitall(TRANSFERS, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < TRANSFERS; ++i) {
      memset(sent, 1 + (round + i) % 100, bytes);
      if (memcmp(sent, received[i], bytes) != 0) fail("a message is wrong");
    }
  }
  if (rank == 0) print_median(kinds[kind].name, bytes, times);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &messages);
  const int rma = count > 1 && strcmp(words[1], "rma") == 0;
  for (int word = 2; word < count; ++word) {
    for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); ++kind) {
      if (strcmp(kinds[kind].name, words[word]) != 0) continue;
      if (rma) {
        measure_rma(kind);
      } else {
        measure_posted(kind, 1 << 10);
        measure_posted(kind, LARGEST);
      }
    }
  }
  MPI_Comm_free(&messages);
  return MPI_Finalize();
}
