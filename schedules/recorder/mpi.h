/* The MPI of the recorder (recorder.cpp): what algorithms and halo exchanges use, and no more, so
 * that a call which nobody records is an error of the compiler.
 *
 * Handles are numbers. Of datatypes there are those that benchmarks send. */
#ifndef LEADLINE_RECORDER_MPI_H
#define LEADLINE_RECORDER_MPI_H

#define MPI_VERSION 3
#define MPI_SUBVERSION 1

typedef long MPI_Aint;
typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Errhandler;
typedef int MPI_Group;
typedef int MPI_Info;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Win;
typedef struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
} MPI_Status;

#define MPI_SUCCESS 0
#define MPI_ERR_NO_MEM 34
#define MPI_PROC_NULL (-1)
#define MPI_REQUEST_NULL (-1)
#define MPI_COMM_NULL (-1)
#define MPI_COMM_WORLD 0
#define MPI_ERRORS_RETURN 1
#define MPI_INFO_NULL 0
#define MPI_GROUP_NULL (-1)
#define MPI_GROUP_EMPTY 0
#define MPI_WIN_NULL (-1)
#define MPI_DATATYPE_NULL 0
#define MPI_BYTE 1
#define MPI_PACKED 2
#define MPI_DOUBLE 3
#define MPI_OP_NULL 0
#define MPI_SUM 1
#define MPI_COMBINER_NAMED 1
#define MPI_IN_PLACE ((void*)-1)
#define MPI_BOTTOM ((void*)0)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)

#ifdef __cplusplus
extern "C" {
#endif

/* Recorded. */
int PMPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int PMPI_Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int,
                  MPI_Comm, MPI_Status*);
int PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Waitall(int, MPI_Request*, MPI_Status*);
int PMPI_Reduce_local(const void*, void*, int, MPI_Datatype, MPI_Op);
int MPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int MPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int MPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int MPI_Waitall(int, MPI_Request*, MPI_Status*);
int MPI_Send_init(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int MPI_Recv_init(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int MPI_Startall(int, MPI_Request*);
int MPI_Request_free(MPI_Request*);

/* Answered. */
int PMPI_Comm_rank(MPI_Comm, int*);
int PMPI_Comm_size(MPI_Comm, int*);
int PMPI_Op_commutative(MPI_Op, int*);
int PMPI_Type_size(MPI_Datatype, int*);
int PMPI_Type_get_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*);
int PMPI_Type_get_true_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*);
int PMPI_Type_get_envelope(MPI_Datatype, int*, int*, int*, int*);

/* Refused: there are no data to pack, and what a library makes of the others is its own affair. */
int PMPI_Get_address(const void*, MPI_Aint*);
int PMPI_Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm);
int PMPI_Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm);
int PMPI_Type_create_hindexed(int, const int*, const MPI_Aint*, MPI_Datatype, MPI_Datatype*);
int PMPI_Type_commit(MPI_Datatype*);
int PMPI_Type_free(MPI_Datatype*);
int MPI_Dist_graph_create_adjacent(MPI_Comm, int, const int*, const int*, int, const int*,
                                   const int*, MPI_Info, int, MPI_Comm*);
int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
int MPI_Comm_free(MPI_Comm*);
int MPI_Neighbor_alltoallw(const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*,
                           const int*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm);
int MPI_Win_create(void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*);
int MPI_Win_set_errhandler(MPI_Win, MPI_Errhandler);
int MPI_Win_get_group(MPI_Win, MPI_Group*);
int MPI_Win_post(MPI_Group, int, MPI_Win);
int MPI_Win_start(MPI_Group, int, MPI_Win);
int MPI_Win_complete(MPI_Win);
int MPI_Win_wait(MPI_Win);
int MPI_Win_free(MPI_Win*);
int MPI_Group_incl(MPI_Group, int, const int*, MPI_Group*);
int MPI_Group_free(MPI_Group*);
int MPI_Put(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);

#ifdef __cplusplus
}
#endif

#endif
