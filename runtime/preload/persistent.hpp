// Persistent collectives that leadline may carry out, and the functions that complete requests:
// X(Name, name, NAME, arguments).
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

#define LEADLINE_COMPLETIONS(X)                                    \
  X(Request_free, request_free, REQUEST_FREE, 1)                   \
  X(Request_get_status, request_get_status, REQUEST_GET_STATUS, 3) \
  X(Test, test, TEST, 3)                                           \
  X(Testall, testall, TESTALL, 4)                                  \
  X(Testany, testany, TESTANY, 5)                                  \
  X(Testsome, testsome, TESTSOME, 5)                               \
  X(Wait, wait, WAIT, 2)                                           \
  X(Waitall, waitall, WAITALL, 3)                                  \
  X(Waitany, waitany, WAITANY, 4)                                  \
  X(Waitsome, waitsome, WAITSOME, 5)

// Of MPI 4.1.
#define LEADLINE_NEW_COMPLETIONS(X)                                            \
  X(Request_get_status_all, request_get_status_all, REQUEST_GET_STATUS_ALL, 4) \
  X(Request_get_status_any, request_get_status_any, REQUEST_GET_STATUS_ANY, 5) \
  X(Request_get_status_some, request_get_status_some, REQUEST_GET_STATUS_SOME, 5)
