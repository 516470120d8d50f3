// Collectives of 8 bytes, one after the other, on two ranks.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double own = 1;
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return sum == 2 ? 0 : 1;
}
