#include "calls.hpp"

#include <mpi.h>

namespace {

Calls counted;
int failure = MPI_SUCCESS;

void count_send(int count, MPI_Datatype type, int to) {
  if (to == MPI_PROC_NULL) return;
  int size = 0;
  PMPI_Type_size(type, &size);
  ++counted.sent;
  counted.bytes += static_cast<double>(count) * size;
}

void count_receive(int from) {
  if (from != MPI_PROC_NULL) ++counted.received;
}

}  // namespace

const Calls& calls() { return counted; }

void reset_calls() { counted = {}; }

void fail_calls_with(int code) { failure = code; }

extern "C" {

decltype(PMPI_Send) __real_PMPI_Send;
decltype(PMPI_Recv) __real_PMPI_Recv;
decltype(PMPI_Isend) __real_PMPI_Isend;
decltype(PMPI_Irecv) __real_PMPI_Irecv;
decltype(PMPI_Sendrecv) __real_PMPI_Sendrecv;

int __wrap_PMPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag,
                     MPI_Comm comm) {
  count_send(count, type, to);
  return failure != MPI_SUCCESS ? failure : __real_PMPI_Send(data, count, type, to, tag, comm);
}

int __wrap_PMPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Status* status) {
  count_receive(from);
  return failure != MPI_SUCCESS ? failure
                                : __real_PMPI_Recv(data, count, type, from, tag, comm, status);
}

int __wrap_PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  count_send(count, type, to);
  return failure != MPI_SUCCESS ? failure
                                : __real_PMPI_Isend(data, count, type, to, tag, comm, request);
}

int __wrap_PMPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                      MPI_Request* request) {
  count_receive(from);
  return failure != MPI_SUCCESS ? failure
                                : __real_PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int __wrap_PMPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                         void* in, int in_count, MPI_Datatype in_type, int from, int in_tag,
                         MPI_Comm comm, MPI_Status* status) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (to == rank && from == rank) {
    ++counted.to_oneself;
  } else {
    count_send(out_count, out_type, to);
    count_receive(from);
    if (to != MPI_PROC_NULL && from != MPI_PROC_NULL) ++counted.exchanges;
  }
  return failure != MPI_SUCCESS
             ? failure
             : __real_PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type,
                                    from, in_tag, comm, status);
}

}  // extern "C"
