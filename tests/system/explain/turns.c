// Two ranks meet in an allreduce after each step; from a step on, one of them computes longer. The
// program marks what it does before that, and what it does then.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

// Arguments: the rank, the step, the steps, the seconds of a step, by how much it is longer then.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double begun = now();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int late = atoi(argv[1]), from = atoi(argv[2]), steps = atoi(argv[3]);
  const double step = atof(argv[4]), times = atof(argv[5]);
  double turned = 0, sum = 0, mine = 1;
  MPI_Pcontrol(1);
  for (int i = 0; i < steps; ++i) {
    if (i == from) {
      turned = now();
      MPI_Pcontrol(7, "named", 2);
    }
    const double end = now() + step * (i >= from && rank == late ? times : 1);
    while (now() < end) {
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Pcontrol(0);
  const double ended = now();
  if (rank == 0) printf("turned %.6f of %.6f\n", turned - begun, ended - begun);
  MPI_Finalize();
  return sum == 2 ? 0 : 1;
}
