// The functions of MPI that programs call by leadline's entries: X(Name, name, NAME, arguments),
// where NAME and name are as Fortran's compilers write them.
#pragma once

// Collectives that are replaced, which have a form with counts of MPI_Count, too.
#define LEADLINE_COLLECTIVES(X)                                          \
  X(Allgather, allgather, ALLGATHER, 7)                                  \
  X(Allgatherv, allgatherv, ALLGATHERV, 8)                               \
  X(Allreduce, allreduce, ALLREDUCE, 6)                                  \
  X(Alltoall, alltoall, ALLTOALL, 7)                                     \
  X(Alltoallv, alltoallv, ALLTOALLV, 9)                                  \
  X(Bcast, bcast, BCAST, 5)                                              \
  X(Exscan, exscan, EXSCAN, 6)                                           \
  X(Gather, gather, GATHER, 8)                                           \
  X(Gatherv, gatherv, GATHERV, 9)                                        \
  X(Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER, 7)       \
  X(Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV, 8)    \
  X(Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL, 7)          \
  X(Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV, 9)       \
  X(Reduce, reduce, REDUCE, 7)                                           \
  X(Reduce_scatter, reduce_scatter, REDUCE_SCATTER, 6)                   \
  X(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK, 6) \
  X(Scan, scan, SCAN, 6)                                                 \
  X(Scatter, scatter, SCATTER, 8)                                        \
  X(Scatterv, scatterv, SCATTERV, 9)

// How programs begin.
#define LEADLINE_BEGINNINGS(X) \
  X(Init, init, INIT, 2)       \
  X(Init_thread, init_thread, INIT_THREAD, 4)

// What else leadline stands before; no argument of theirs is a count, nor a buffer of any type.
#define LEADLINE_OTHERS(X)              \
  X(Barrier, barrier, BARRIER, 1)       \
  X(File_open, file_open, FILE_OPEN, 5) \
  X(Finalize, finalize, FINALIZE, 0)

// From here on, functions that are only noted: by them a program gives the library something to do
// for several ranks, which a rank that waits in shared memory then serves. Transfers have a form
// with counts of MPI_Count, too; starts have no buffer of any type.
#define LEADLINE_TRANSFERS(X)                                               \
  X(Send, send, SEND, 6)                                                    \
  X(Bsend, bsend, BSEND, 6)                                                 \
  X(Ssend, ssend, SSEND, 6)                                                 \
  X(Rsend, rsend, RSEND, 6)                                                 \
  X(Isend, isend, ISEND, 7)                                                 \
  X(Ibsend, ibsend, IBSEND, 7)                                              \
  X(Issend, issend, ISSEND, 7)                                              \
  X(Irsend, irsend, IRSEND, 7)                                              \
  X(Sendrecv, sendrecv, SENDRECV, 12)                                       \
  X(Sendrecv_replace, sendrecv_replace, SENDRECV_REPLACE, 9)                \
  X(Put, put, PUT, 8)                                                       \
  X(Rput, rput, RPUT, 9)                                                    \
  X(Get, get, GET, 8)                                                       \
  X(Rget, rget, RGET, 9)                                                    \
  X(Accumulate, accumulate, ACCUMULATE, 9)                                  \
  X(Raccumulate, raccumulate, RACCUMULATE, 10)                              \
  X(Get_accumulate, get_accumulate, GET_ACCUMULATE, 12)                     \
  X(Rget_accumulate, rget_accumulate, RGET_ACCUMULATE, 13)                  \
  X(Alltoallw, alltoallw, ALLTOALLW, 9)                                     \
  X(Iallgather, iallgather, IALLGATHER, 8)                                  \
  X(Iallgatherv, iallgatherv, IALLGATHERV, 9)                               \
  X(Iallreduce, iallreduce, IALLREDUCE, 7)                                  \
  X(Ialltoall, ialltoall, IALLTOALL, 8)                                     \
  X(Ialltoallv, ialltoallv, IALLTOALLV, 10)                                 \
  X(Ialltoallw, ialltoallw, IALLTOALLW, 10)                                 \
  X(Ibcast, ibcast, IBCAST, 6)                                              \
  X(Iexscan, iexscan, IEXSCAN, 7)                                           \
  X(Igather, igather, IGATHER, 9)                                           \
  X(Igatherv, igatherv, IGATHERV, 10)                                       \
  X(Ireduce, ireduce, IREDUCE, 8)                                           \
  X(Ireduce_scatter_block, ireduce_scatter_block, IREDUCE_SCATTER_BLOCK, 7) \
  X(Ireduce_scatter, ireduce_scatter, IREDUCE_SCATTER, 7)                   \
  X(Iscan, iscan, ISCAN, 7)                                                 \
  X(Iscatter, iscatter, ISCATTER, 9)                                        \
  X(Iscatterv, iscatterv, ISCATTERV, 10)                                    \
  X(Ineighbor_allgather, ineighbor_allgather, INEIGHBOR_ALLGATHER, 8)       \
  X(Ineighbor_allgatherv, ineighbor_allgatherv, INEIGHBOR_ALLGATHERV, 9)    \
  X(Ineighbor_alltoall, ineighbor_alltoall, INEIGHBOR_ALLTOALL, 8)          \
  X(Ineighbor_alltoallv, ineighbor_alltoallv, INEIGHBOR_ALLTOALLV, 10)      \
  X(Ineighbor_alltoallw, ineighbor_alltoallw, INEIGHBOR_ALLTOALLW, 10)

#define LEADLINE_ATOMICS(X)                      \
  X(Fetch_and_op, fetch_and_op, FETCH_AND_OP, 7) \
  X(Compare_and_swap, compare_and_swap, COMPARE_AND_SWAP, 7)

#define LEADLINE_STARTS(X)                             \
  X(Ibarrier, ibarrier, IBARRIER, 2)                   \
  X(Start, start, START, 1)                            \
  X(Startall, startall, STARTALL, 2)                   \
  X(Win_post, win_post, WIN_POST, 3)                   \
  X(Win_start, win_start, WIN_START, 3)                \
  X(Win_complete, win_complete, WIN_COMPLETE, 1)       \
  X(Win_lock, win_lock, WIN_LOCK, 4)                   \
  X(Win_lock_all, win_lock_all, WIN_LOCK_ALL, 2)       \
  X(Win_unlock, win_unlock, WIN_UNLOCK, 2)             \
  X(Win_unlock_all, win_unlock_all, WIN_UNLOCK_ALL, 1) \
  X(Win_flush, win_flush, WIN_FLUSH, 2)                \
  X(Win_flush_all, win_flush_all, WIN_FLUSH_ALL, 1)

// Of MPI 4.
#define LEADLINE_NEW_TRANSFERS(X)                                \
  X(Isendrecv, isendrecv, ISENDRECV, 13)                         \
  X(Isendrecv_replace, isendrecv_replace, ISENDRECV_REPLACE, 10) \
  X(Pready, pready, PREADY, 2)                                   \
  X(Pready_list, pready_list, PREADY_LIST, 3)                    \
  X(Pready_range, pready_range, PREADY_RANGE, 3)

// The count after one.
#define LEADLINE_AFTER_0 1
#define LEADLINE_AFTER_1 2
#define LEADLINE_AFTER_2 3
#define LEADLINE_AFTER_3 4
#define LEADLINE_AFTER_4 5
#define LEADLINE_AFTER_5 6
#define LEADLINE_AFTER_6 7
#define LEADLINE_AFTER_7 8
#define LEADLINE_AFTER_8 9
#define LEADLINE_AFTER_9 10
#define LEADLINE_AFTER_10 11
#define LEADLINE_AFTER_11 12
#define LEADLINE_AFTER_12 13
#define LEADLINE_AFTER_13 14
