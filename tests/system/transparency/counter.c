/* Stands between leadline and the library, as any other tool that uses PMPI might: counts the calls
   that leadline leaves to the library, and hands them on. */
#include "counter.h"

#include <mpi.h>

static int calls;

int calls_of_the_library(void) { return calls; }

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
