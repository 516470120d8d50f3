// Calls that the report has to tell apart; opens the file that is named; "exit" ends without
// MPI_Finalize.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void sum(MPI_Comm comm, int times) {
  double mine[4] = {0};
  double all[4];
  for (int i = 0; i < times; ++i) {
    MPI_Allreduce(mine, all, 4, MPI_DOUBLE, MPI_SUM, comm);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc == 1) {
    MPI_Finalize();
    return 0;
  }
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  sum(MPI_COMM_WORLD, 10);
  sum(other, 3);
  sum(MPI_COMM_SELF, 2);
  int number = 1;
  MPI_Request request;
  MPI_Ibcast(&number, 1, MPI_INT, 0, other, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int counts[] = {1, 1}, offsets[] = {0, sizeof(int)};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  int sent[] = {1, 2}, received[2];
  MPI_Alltoallw(sent, counts, offsets, types, received, counts, offsets, types, other);
  MPI_Comm_free(&other);

  MPI_Info info;
  MPI_File file;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "1");
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file);
  MPI_File_close(&file);
  MPI_Info_free(&info);
  if (argc > 2) exit(0);
  MPI_Finalize();
  return 0;
}
