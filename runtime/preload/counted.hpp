// Functions that leadline never replaces, whose calls its report counts: X(name, arguments, why it
// is left to the library).
#pragma once

#define LEADLINE_COUNTED(X)            \
  X(MPI_Alltoallw, 9, "no algorithm")  \
  X(MPI_Iallgather, 8, "non-blocking") \
  X(MPI_Ialltoall, 8, "non-blocking")  \
  X(MPI_Ibcast, 6, "non-blocking")     \
  X(MPI_Ireduce, 8, "non-blocking")
