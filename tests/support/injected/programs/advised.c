/* A program of one kind of communication, which checks its data and says how long it took.
 *
 *     advised KIND STEPS
 *
 * In each step all ranks compute alike, then communicate: allreduces of 8 B, 4 KiB and 64 KiB
 * (KIND reductions), alltoall of 1 KiB and allgather of 8 KiB blocks (exchange), a bcast and a
 * reduction of 8 KiB (rooted), or an allreduce of 8 B after much more computing (computing). The
 * last line is `seconds N`, the time of the slowest rank without MPI_Init and MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024, DOUBLES = 8192 };

static int rank, size;
static double in[DOUBLES], out[DOUBLES];
static double* blocks;
static double* received;

static void fail(const char* what, int step) {
  fprintf(stderr, "advised: wrong data of %s in step %d on rank %d\n", what, step, rank);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static double compute(double value, int rounds) {
  for (int i = 0; i < rounds; ++i) value = value * 0.999999 + 1e-6;
  return value;
}

static void allreduce(int step, int count) {
  for (int i = 0; i < count; ++i) in[i] = rank + step + i % 7;
  MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double ranks = size * (size - 1) / 2.0;
  for (int i = 0; i < count; i += count > 16 ? count / 16 : 1) {
    if (out[i] != ranks + (double)size * (step + i % 7)) fail("allreduce", step);
  }
}

static void exchange(int step) {
  const int small = 128, large = BLOCK;
  for (int to = 0; to < size; ++to) blocks[to * small] = rank * 1000 + to + step;
  MPI_Alltoall(blocks, small, MPI_DOUBLE, received, small, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int from = 0; from < size; ++from) {
    if (received[from * small] != from * 1000 + rank + step) fail("alltoall", step);
  }
  for (int i = 0; i < large; ++i) in[i] = rank + step;
  MPI_Allgather(in, large, MPI_DOUBLE, received, large, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int from = 0; from < size; ++from) {
    if (received[from * large] != from + step || received[(from + 1) * large - 1] != from + step) {
      fail("allgather", step);
    }
  }
}

static void rooted(int step) {
  if (rank == 0) {
    for (int i = 0; i < BLOCK; ++i) in[i] = step + i;
  }
  MPI_Bcast(in, BLOCK, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (in[BLOCK - 1] != step + BLOCK - 1) fail("bcast", step);
  MPI_Reduce(in, out, BLOCK, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && out[BLOCK - 1] != (double)size * (step + BLOCK - 1)) fail("reduce", step);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* kind = argc > 2 ? argv[1] : "";
  const int steps = argc > 2 ? atoi(argv[2]) : 0;
  const int known = !strcmp(kind, "reductions") || !strcmp(kind, "exchange") ||
                    !strcmp(kind, "rooted") || !strcmp(kind, "computing");
  if (!known || steps < 1) {
    if (rank == 0) fprintf(stderr, "usage: advised reductions|exchange|rooted|computing STEPS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  blocks = calloc((size_t)size * BLOCK, sizeof *blocks);
  received = calloc((size_t)size * BLOCK, sizeof *received);
  if (blocks == NULL || received == NULL) MPI_Abort(MPI_COMM_WORLD, 4);
  double value = rank, slowest = 0;
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    if (!strcmp(kind, "computing")) {
      value = compute(value, 100000);
      allreduce(step, 1);
      continue;
    }
    value = compute(value, 3000);
    if (!strcmp(kind, "exchange")) {
      exchange(step);
    } else if (!strcmp(kind, "rooted")) {
      rooted(step);
    } else {
      allreduce(step, 1);
      allreduce(step, 512);
      allreduce(step, DOUBLES);
    }
  }
  const double took = MPI_Wtime() - begin;
  MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  /* What was computed is used, so that no compiler leaves it out. */
  if (value < -1) fail("computing", steps);
  if (rank == 0) printf("seconds %.6f\n", slowest);
  free(blocks);
  free(received);
  MPI_Finalize();
  return 0;
}
