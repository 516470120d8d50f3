// Functions that leadline never replaces, whose calls its report counts: X(name, arguments, why it
// is left to the library).
#pragma once

#define LEADLINE_COUNTED(X)                       \
  X(MPI_Allgatherv, 8, "no algorithm")            \
  X(MPI_Alltoallv, 9, "no algorithm")             \
  X(MPI_Exscan, 6, "no algorithm")                \
  X(MPI_Gather, 8, "no algorithm")                \
  X(MPI_Gatherv, 9, "no algorithm")               \
  X(MPI_Iallgather, 8, "non-blocking")            \
  X(MPI_Iallreduce, 7, "non-blocking")            \
  X(MPI_Ialltoall, 8, "non-blocking")             \
  X(MPI_Ibarrier, 2, "non-blocking")              \
  X(MPI_Ibcast, 6, "non-blocking")                \
  X(MPI_Ireduce, 8, "non-blocking")               \
  X(MPI_Ireduce_scatter_block, 7, "non-blocking") \
  X(MPI_Reduce_scatter, 6, "no algorithm")        \
  X(MPI_Scan, 6, "no algorithm")                  \
  X(MPI_Scatter, 8, "no algorithm")               \
  X(MPI_Scatterv, 9, "no algorithm")
