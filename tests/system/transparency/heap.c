/* Memory of a program that allocates, fills and frees 4 MiB around each barrier: prints how many
 * bytes rank 0 still has from the kernel for the next allocation at the end. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, BUFFERS = 4, BYTES = 1 << 20 };

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < ROUNDS; ++round) {
    char* filled[BUFFERS];
    for (int i = 0; i < BUFFERS; ++i) filled[i] = malloc(BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < BUFFERS; ++i) {
      memset(filled[i], round, BYTES);
      if (filled[i][BYTES - 1] != (char)round) MPI_Abort(MPI_COMM_WORLD, 1);
      free(filled[i]);
    }
  }
  if (rank == 0) printf("%zu\n", mallinfo2().fordblks);
  return MPI_Finalize();
}
