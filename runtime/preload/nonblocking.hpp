// Non-blocking collectives that leadline may carry out: X(Name, name, NAME, arguments).
#pragma once

// Of data: with counts of MPI_Count, too.
#define LEADLINE_NONBLOCKING_MOVES(X)      \
  X(Iallreduce, iallreduce, IALLREDUCE, 7) \
  X(Ireduce_scatter_block, ireduce_scatter_block, IREDUCE_SCATTER_BLOCK, 7)

#define LEADLINE_NONBLOCKING(X) \
  LEADLINE_NONBLOCKING_MOVES(X) \
  X(Ibarrier, ibarrier, IBARRIER, 2)
