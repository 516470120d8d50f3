// A program that adds, and with an argument writes past the end of its memory.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double own = rank;
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  volatile char* const bytes = malloc(8);
  bytes[count > 1 ? 8 : 0] = 1;
  free((void*)bytes);
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
