/* Calls collectives back to back on MPI_COMM_WORLD and on a duplicate, with checked answers. Knows
   nothing of leadline.

   learning CALLS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 4096 };

static long calls_on(MPI_Comm comm, int calls) {
  static double in[kMost], out[kMost];
  int rank, size;
  long wrong = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int count = 1; count <= kMost; count *= 64) {
    for (int i = 0; i < calls; ++i) {
      in[0] = in[count - 1] = rank + i;
      MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
      const double sum = size * (size - 1) / 2 + (double)size * i;
      wrong += out[0] != sum || out[count - 1] != sum;
      out[0] = out[count - 1] = rank == i % size ? i : -1;
      MPI_Bcast(out, count, MPI_DOUBLE, i % size, comm);
      wrong += out[0] != i || out[count - 1] != i;
      MPI_Barrier(comm);
    }
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int calls = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Comm copy;
  int rank;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  long wrong = calls_on(MPI_COMM_WORLD, calls) + calls_on(copy, calls / 4);
  MPI_Comm_free(&copy);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%ld wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
