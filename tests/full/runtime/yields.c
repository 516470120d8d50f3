// How often a rank that comes last to a barrier, after messages, gives its core away there; and how
// often the rank that waits for it does so.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static long yields;

int sched_yield(void) {
  ++yields;
  usleep(20);  // as where others take the core
  return 0;
}

static long yields_in_a_barrier(void) {
  const long before = yields;
  MPI_Barrier(MPI_COMM_WORLD);
  return yields - before;
}

int main(int argc, char** argv) {
  enum { kBarriers = 50 };
  int rank = 0, least = -1, most = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < kBarriers; ++i) {
    if (rank == 0) MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
      int got = 0;
      MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      usleep(5000);
    }
    const long count = yields_in_a_barrier();
    if (least < 0 || count < least) least = (int)count;
    if (count > most) most = (int)count;
  }
  if (rank == 1) MPI_Send(&least, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&least, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("last %d waiting %d\n", least, most > 0);
  }
  MPI_Finalize();
  return 0;
}
