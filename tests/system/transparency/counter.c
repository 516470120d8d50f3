/* Stands between leadline and the library, as any other tool that uses PMPI might: counts the calls
   that leadline leaves to the library, and hands them on. Arguments are handed on as machine words,
   whatever they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

#include "common.h"

static int calls, agreed;

int calls_of_the_library(void) { return calls; }
int agreements(void) { return agreed; }

#define WORDS_1 long a
#define WORDS_3 WORDS_1, long b, long c
#define WORDS_4 WORDS_3, long d
#define WORDS_5 WORDS_4, long e
#define WORDS_6 WORDS_5, long f
#define WORDS_7 WORDS_6, long g
#define WORDS_8 WORDS_7, long h
#define WORDS_9 WORDS_8, long i
#define VALUES_1 a
#define VALUES_3 VALUES_1, b, c
#define VALUES_4 VALUES_3, d
#define VALUES_5 VALUES_4, e
#define VALUES_6 VALUES_5, f
#define VALUES_7 VALUES_6, g
#define VALUES_8 VALUES_7, h
#define VALUES_9 VALUES_8, i

/* By other names than MPI's header declares. */
#define FUNCTION(symbol, own, count)               \
  int own##symbol(WORDS_##count) __asm__(#symbol); \
  int own##symbol(WORDS_##count)

#define AGREES(name, count)                                                             \
  FUNCTION(name, agree_, count) {                                                       \
    return ++agreed, ((int (*)(WORDS_##count))dlsym(RTLD_NEXT, #name))(VALUES_##count); \
  }
AGREES(PMPI_Allgather, 7)
AGREES(PMPI_Allreduce, 6)
AGREES(PMPI_Bcast, 5)
AGREES(PMPI_Comm_create, 3)
AGREES(PMPI_Comm_split, 4)
AGREES(PMPI_Comm_split_type, 5)
AGREES(PMPI_Iallreduce, 7)

#define COUNTED(name, count)                            \
  int library_##name(WORDS_##count) __asm__("P" #name); \
  FUNCTION(name, count_, count) { return ++calls, library_##name(VALUES_##count); }
COUNTED(MPI_Allgather, 7)
COUNTED(MPI_Allgatherv, 8)
COUNTED(MPI_Allreduce, 6)
COUNTED(MPI_Alltoall, 7)
COUNTED(MPI_Alltoallv, 9)
COUNTED(MPI_Barrier, 1)
COUNTED(MPI_Bcast, 5)
COUNTED(MPI_Exscan, 6)
COUNTED(MPI_Gather, 8)
COUNTED(MPI_Gatherv, 9)
COUNTED(MPI_Neighbor_allgather, 7)
COUNTED(MPI_Neighbor_allgatherv, 8)
COUNTED(MPI_Neighbor_alltoall, 7)
COUNTED(MPI_Neighbor_alltoallv, 9)
COUNTED(MPI_Reduce, 7)
COUNTED(MPI_Reduce_scatter, 6)
COUNTED(MPI_Reduce_scatter_block, 6)
COUNTED(MPI_Scan, 6)
COUNTED(MPI_Scatter, 8)
COUNTED(MPI_Scatterv, 9)
#if MPI_VERSION >= 4
COUNTED(MPI_Alltoallv_c, 9)
COUNTED(MPI_Neighbor_allgather_c, 7)
COUNTED(MPI_Neighbor_allgatherv_c, 8)
COUNTED(MPI_Neighbor_alltoall_c, 7)
COUNTED(MPI_Neighbor_alltoallv_c, 9)
#endif
