// Ranks meet again and again, and rank 1 comes late; with an argument, rank 0 waits for ever.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  (void)argv;
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double mine[1024] = {1}, sum[1024];
  for (int i = 0; i < 100; ++i) {
    if (rank == 1) usleep(2000);
    MPI_Allreduce(mine, sum, 1024, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (argc > 1 && rank == 0) MPI_Recv(mine, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (argc > 1 && rank == 1) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("sum %g\n", sum[0]);
  MPI_Finalize();
}
