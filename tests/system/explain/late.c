// Two ranks meet in an allreduce after each step, and one of them computes longer. What each waited
// is known: the ranks note when they come and go, on one clock.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kMost = 100000 };
static double come[2][kMost], gone[2][kMost];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static double waited(int rank, int steps) {
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double other = come[1 - rank][i] < gone[rank][i] ? come[1 - rank][i] : gone[rank][i];
    if (other > come[rank][i]) sum += other - come[rank][i];
  }
  return sum;
}

// Arguments: the late rank, -1 for each in turn; steps; seconds of a step; seconds that it is late;
// the exit status.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int late = atoi(argv[1]), steps = atoi(argv[2]);
  const double step = atof(argv[3]), delay = atof(argv[4]);
  double sum = 0, mine = 1;
  for (int i = 0; i < steps; ++i) {
    const int last = late < 0 ? i % 2 : late;
    const double end = now() + step + (rank == last ? delay : 0);
    while (now() < end) {
    }
    come[rank][i % kMost] = now();
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    gone[rank][i % kMost] = now();
  }
  if (rank == 1) {
    MPI_Send(come[1], kMost, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    MPI_Send(gone[1], kMost, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(come[1], kMost, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(gone[1], kMost, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("waited %.6f %.6f\n", waited(0, steps), waited(1, steps));
  }
  MPI_Finalize();
  return argc > 5 ? atoi(argv[5]) : 0;
}
