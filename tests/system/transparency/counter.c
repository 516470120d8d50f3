/* Stands between leadline and the library, as any other tool that uses PMPI might: counts the calls
   that leadline leaves to the library, and hands them on. */
#define _GNU_SOURCE
#include "counter.h"

#include <dlfcn.h>
#include <mpi.h>

static int calls;

int calls_of_the_library(void) { return calls; }

static int agreed;

int agreements(void) { return agreed; }

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int PMPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
  return ++agreed, NEXT(PMPI_Iallreduce)(in, out, count, type, op, comm, request);
}
int PMPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  return ++agreed, NEXT(PMPI_Allreduce)(in, out, count, type, op, comm);
}
int PMPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                   MPI_Datatype out_type, MPI_Comm comm) {
  return ++agreed, NEXT(PMPI_Allgather)(in, in_count, in_type, out, out_count, out_type, comm);
}
int PMPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return ++agreed, NEXT(PMPI_Bcast)(data, count, type, root, comm);
}
int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return ++agreed, NEXT(PMPI_Comm_create)(comm, group, made);
}
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return ++agreed, NEXT(PMPI_Comm_split)(comm, color, key, made);
}
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return ++agreed, NEXT(PMPI_Comm_split_type)(comm, type, key, info, made);
}

int MPI_Barrier(MPI_Comm comm) { return ++calls, PMPI_Barrier(comm); }
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return ++calls, PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  return ++calls, PMPI_Reduce(in, out, count, type, op, root, comm);
}
int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return ++calls, PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  return ++calls, PMPI_Reduce_scatter_block(in, out, count, type, op, comm);
}
int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                  MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm);
}
int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                 MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm);
}
int MPI_Alltoallv(const void* in, const int* in_counts, const int* in_offsets, MPI_Datatype in_type,
                  void* out, const int* out_counts, const int* out_offsets, MPI_Datatype out_type,
                  MPI_Comm comm) {
  return ++calls, PMPI_Alltoallv(in, in_counts, in_offsets, in_type, out, out_counts, out_offsets,
                                 out_type, comm);
}
#if MPI_VERSION >= 4
int MPI_Alltoallv_c(const void* in, const MPI_Count* in_counts, const MPI_Aint* in_offsets,
                    MPI_Datatype in_type, void* out, const MPI_Count* out_counts,
                    const MPI_Aint* out_offsets, MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Alltoallv_c(in, in_counts, in_offsets, in_type, out, out_counts, out_offsets,
                                   out_type, comm);
}
#endif
int MPI_Reduce_scatter(const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  return ++calls, PMPI_Reduce_scatter(in, out, counts, type, op, comm);
}
int MPI_Scan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return ++calls, PMPI_Scan(in, out, count, type, op, comm);
}
int MPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return ++calls, PMPI_Exscan(in, out, count, type, op, comm);
}
int MPI_Gather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
               MPI_Datatype out_type, int root, MPI_Comm comm) {
  return ++calls, PMPI_Gather(in, in_count, in_type, out, out_count, out_type, root, comm);
}
int MPI_Scatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                MPI_Datatype out_type, int root, MPI_Comm comm) {
  return ++calls, PMPI_Scatter(in, in_count, in_type, out, out_count, out_type, root, comm);
}
int MPI_Allgatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int* counts,
                   const int* offsets, MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Allgatherv(in, in_count, in_type, out, counts, offsets, out_type, comm);
}
int MPI_Gatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int* counts,
                const int* offsets, MPI_Datatype out_type, int root, MPI_Comm comm) {
  return ++calls, PMPI_Gatherv(in, in_count, in_type, out, counts, offsets, out_type, root, comm);
}
int MPI_Scatterv(const void* in, const int* counts, const int* offsets, MPI_Datatype in_type,
                 void* out, int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
  return ++calls, PMPI_Scatterv(in, counts, offsets, in_type, out, out_count, out_type, root, comm);
}
int MPI_Neighbor_allgather(const void* in, int in_count, MPI_Datatype in_type, void* out,
                           int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Neighbor_allgather(in, in_count, in_type, out, out_count, out_type, comm);
}
int MPI_Neighbor_alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out,
                          int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Neighbor_alltoall(in, in_count, in_type, out, out_count, out_type, comm);
}
int MPI_Neighbor_allgatherv(const void* in, int in_count, MPI_Datatype in_type, void* out,
                            const int* counts, const int* offsets, MPI_Datatype out_type,
                            MPI_Comm comm) {
  return ++calls,
         PMPI_Neighbor_allgatherv(in, in_count, in_type, out, counts, offsets, out_type, comm);
}
int MPI_Neighbor_alltoallv(const void* in, const int* in_counts, const int* in_offsets,
                           MPI_Datatype in_type, void* out, const int* out_counts,
                           const int* out_offsets, MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Neighbor_alltoallv(in, in_counts, in_offsets, in_type, out, out_counts,
                                          out_offsets, out_type, comm);
}
#if MPI_VERSION >= 4
int MPI_Neighbor_allgather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
                             MPI_Count out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Neighbor_allgather_c(in, in_count, in_type, out, out_count, out_type, comm);
}
int MPI_Neighbor_alltoall_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
                            MPI_Count out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Neighbor_alltoall_c(in, in_count, in_type, out, out_count, out_type, comm);
}
int MPI_Neighbor_allgatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
                              const MPI_Count* counts, const MPI_Aint* offsets,
                              MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls,
         PMPI_Neighbor_allgatherv_c(in, in_count, in_type, out, counts, offsets, out_type, comm);
}
int MPI_Neighbor_alltoallv_c(const void* in, const MPI_Count* in_counts, const MPI_Aint* in_offsets,
                             MPI_Datatype in_type, void* out, const MPI_Count* out_counts,
                             const MPI_Aint* out_offsets, MPI_Datatype out_type, MPI_Comm comm) {
  return ++calls, PMPI_Neighbor_alltoallv_c(in, in_counts, in_offsets, in_type, out, out_counts,
                                            out_offsets, out_type, comm);
}
#endif
