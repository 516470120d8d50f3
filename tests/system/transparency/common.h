/* What the programs have in common. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many calls of collectives have reached the library on this rank. */
int calls_of_the_library(void);

/* Calls of the library by which leadline adopts communicators. */
int agreements(void);

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                          \
    }                                                                        \
  } while (0)

static inline int sum_of_ranks(MPI_Comm comm) {
  int rank = 0, sum = 0;
  MPI_Comm_rank(comm, &rank);
  CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  return sum;
}

/* So many collectives, with answers that are right. */
static inline void use(MPI_Comm comm, int calls) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int i = 0; i < calls; ++i) CHECK(sum_of_ranks(comm) == ranks * (ranks - 1) / 2);
}
