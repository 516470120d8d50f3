// Calls one function of MPI at two lines of another.
#include <mpi.h>

#define REDUCE() MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)

int main(int count, char** arguments) {
  int own = 1;
  int sum = 0;
  MPI_Init(&count, &arguments);
  REDUCE();
  for (int i = 0; i < 3; ++i) {
    REDUCE();
  }
  MPI_Finalize();
  return 0;
}
