/* Two threads of each rank exchange messages with those of the other, 1000 times each. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank;
static MPI_Comm comms[2];

static void* exchange(void* argument) {
  const int own = *(int*)argument;
  for (int i = 0; i < 1000; ++i) {
    int out = i, in = -1;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, own, comms[own], &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, own, comms[own], &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (in != i) MPI_Abort(MPI_COMM_WORLD, 9);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, numbers[2] = {0, 1};
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 8);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  pthread_create(&thread, NULL, exchange, &numbers[1]);
  exchange(&numbers[0]);
  pthread_join(thread, NULL);
  MPI_Finalize();
  printf("ended\n");
  return 0;
}
