// Persistent collectives that leadline may carry out: X(Name, name, NAME, arguments).
//
// For MPIs that have them.
#pragma once

// Of data: with counts of MPI_Count, too.
#define LEADLINE_PERSISTENT_MOVES(X)                   \
  X(Allgather_init, allgather_init, ALLGATHER_INIT, 9) \
  X(Allreduce_init, allreduce_init, ALLREDUCE_INIT, 8) \
  X(Alltoall_init, alltoall_init, ALLTOALL_INIT, 9)    \
  X(Reduce_scatter_block_init, reduce_scatter_block_init, REDUCE_SCATTER_BLOCK_INIT, 8)

#define LEADLINE_PERSISTENT_INITS(X) \
  LEADLINE_PERSISTENT_MOVES(X)       \
  X(Barrier_init, barrier_init, BARRIER_INIT, 3)
