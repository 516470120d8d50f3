// Rank 0 sends a large message with tag 5, and rank 1 waits for one with tag 6.
#include <mpi.h>

static char message[4194304];

__attribute__((noinline)) static void exchange(int rank) {
  if (rank == 0) MPI_Send(message, sizeof message, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
  if (rank == 1)
    MPI_Recv(message, sizeof message, MPI_CHAR, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  exchange(rank);
  MPI_Finalize();
}
