// Two ranks that add up, broadcast and send, so many times each: the arguments are the times, and
// the bytes of the broadcast and of the message.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int times = atoi(argv[1]), broadcast = atoi(argv[2]), message = atoi(argv[3]);
  char* data = calloc(1, broadcast > message ? broadcast : message);
  double mine = 1, sum;
  for (int i = 0; i < times; ++i) {
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(data, broadcast, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Send(data, message, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(data, message, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  free(data);
  MPI_Finalize();
  return 0;
}
