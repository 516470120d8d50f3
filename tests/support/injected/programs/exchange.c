/* Exchanges messages round a ring for some seconds, with OpenMP's threads at work in between. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double seconds = argc > 1 ? atof(argv[1]) : 4;
  const int bytes = 65536;
  char* in = malloc(bytes);
  char* out = calloc(bytes, 1);
  const double begun = MPI_Wtime();
  double sum = 0;
  int going_on = 1;
  while (going_on) {
#pragma omp parallel for reduction(+ : sum)
    for (int term = 1; term <= 200000; ++term) sum += 1.0 / term;
    MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % size, 0, in, bytes, MPI_BYTE,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    going_on = MPI_Wtime() - begun < seconds;
    MPI_Bcast(&going_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("done by %d ranks\n", size);
  MPI_Finalize();
  return sum < 0;
}
