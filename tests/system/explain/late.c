// Ranks meet in an allreduce after each step; one of them computes longer than the rest.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double spin(double seconds) {
  const double end = MPI_Wtime() + seconds;
  double now;
  while ((now = MPI_Wtime()) < end) {
  }
  return now;
}

// Arguments: the late rank, -1 for each in turn; steps; seconds of a step; seconds that it is late.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int late = atoi(argv[1]), steps = atoi(argv[2]);
  const double step = atof(argv[3]), delay = atof(argv[4]);
  double sum = 0, mine = 1;
  for (int i = 0; i < steps; ++i) {
    const int last = late < 0 ? i % size : late;
    spin(step + (rank == last ? delay : 0));
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("sum %g\n", sum);
  MPI_Finalize();
  return argc > 5 ? atoi(argv[5]) : 0;
}
