/* Hangs in one of ten ways, after a few rounds that are right. Each way waits for ever. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { large = 4 << 20 };

static int rank, size;
static char *out, *in;
static volatile sig_atomic_t told;

static void tell(int number) { told = number; }

static int is(const char* way, const char* name) { return strcmp(way, name) == 0; }

__attribute__((noinline)) static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

/* A function of its own, so that places have its name. */
__attribute__((noinline)) static void hang(const char* way) {
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  long value = 1, sum = 0;
  if (is(way, "missing_receive")) {
    if (rank == 0) MPI_Send(out, large, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
    barrier();
  } else if (is(way, "wrong_root")) {
    MPI_Reduce(out, in, large, MPI_BYTE, MPI_BOR, rank == 1 ? 1 : 0, MPI_COMM_WORLD);
    barrier();
  } else if (is(way, "wrong_count")) {
    MPI_Reduce(out, in, rank == 1 ? 0 : large, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    barrier();
  } else if (is(way, "swapped_collectives")) {
    if (rank == 1) {
      barrier();
      MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Reduce(out, in, large, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
      barrier();
    }
  } else if (is(way, "endless_loop")) {
    volatile int never = rank == 1;
    while (never) {
    }
    barrier();
  } else if (is(way, "deadlock_cycle")) {
    MPI_Send(out, large, MPI_BYTE, next, 5, MPI_COMM_WORLD);
    MPI_Recv(in, large, MPI_BYTE, last, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (is(way, "wrong_tag")) {
    if (rank == 0) MPI_Send(out, large, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(in, large, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    barrier();
  } else if (is(way, "exited_early")) {
    if (rank == 1) {
      while (!told) pause();
      exit(0);
    }
    barrier();
  } else {
    /* Stopped or dead: rank 1 is sent a signal while all go on. */
    for (;;) {
      barrier();
      usleep(1000);
    }
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  signal(SIGUSR2, tell);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  out = calloc(1, large);
  in = calloc(1, large);
  for (int round = 0; round < 3; ++round) barrier();
  fprintf(stderr, "rank %d pid %d\n", rank, (int)getpid());
  hang(argv[1]);
  MPI_Finalize();
  return 0;
}
