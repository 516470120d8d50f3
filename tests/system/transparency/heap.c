/* Reduces as many bytes as the first word says, then allocates, fills and frees 4 MiB around each
 * of some barriers. Prints how many bytes rank 0 still has from the kernel for the next allocation.
 */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROUNDS = 20, BUFFERS = 4, BYTES = 1 << 20 };

/* By mmap: malloc is to see nothing of the program's that is larger. */
static void reduce(int bytes) {
  const size_t length = 2 * (size_t)bytes;
  char* data = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(data, 3, bytes);
  MPI_Allreduce(data, data + bytes, bytes, MPI_SIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < bytes; ++i) {
    if (data[bytes + i] != 3) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) reduce(atoi(argv[1]));
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
