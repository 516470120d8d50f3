/* A program for SimGrid that fails in the way that its argument names. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { MUCH = 1 << 30 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* way = argv[1];
  int rank = 0;
  int value = 0;
  MPI_Comm children = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(way, "deadlock") == 0 && rank == 0) {
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(way, "killed") == 0) raise(SIGKILL);
  if (strcmp(way, "crashed") == 0) raise(SIGSEGV);
  if (strcmp(way, "lacking") == 0) {
    MPI_Comm_spawn("another", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
  }
  for (int i = 0; i < 8 && strcmp(way, "memory") == 0; ++i) memset(malloc(MUCH), 1, 1);
  MPI_Finalize();
  return 0;
}
