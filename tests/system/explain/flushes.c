/* Waits in each way of MPI 4.1 until buffered messages have gone. Two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBytes = 4096 };
static int rank;

/* Sends the other rank a buffered message and takes one, before what is buffered is waited for. */
static void exchange(MPI_Comm comm) {
  int in = -1;
  MPI_Bsend(&rank, 1, MPI_INT, 1 - rank, 1, comm);
  MPI_Recv(&in, 1, MPI_INT, 1 - rank, 1, comm, MPI_STATUS_IGNORE);
  if (in == 1 - rank) return;
  fprintf(stderr, "rank %d: wrong message\n", rank);
  MPI_Abort(MPI_COMM_WORLD, 9);
}

static void finish(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void of_all(char* buffer) {
  MPI_Request request;
  int size;
  MPI_Buffer_attach(buffer, kBytes);
  exchange(MPI_COMM_WORLD);
  MPI_Buffer_flush();
  MPI_Buffer_iflush(&request);
  finish(&request);
  MPI_Buffer_detach(&buffer, &size);
}

static void of_one(char* buffer) {
  MPI_Request request;
  int size;
  MPI_Comm_attach_buffer(MPI_COMM_WORLD, buffer, kBytes);
  exchange(MPI_COMM_WORLD);
  MPI_Comm_flush_buffer(MPI_COMM_WORLD);
  MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &request);
  finish(&request);
  MPI_Comm_detach_buffer(MPI_COMM_WORLD, &buffer, &size);
}

static void of_session(char* buffer) {
  MPI_Session session;
  MPI_Request request;
  int size;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Session_attach_buffer(session, buffer, kBytes);
  MPI_Session_flush_buffer(session);
  MPI_Session_iflush_buffer(session, &request);
  finish(&request);
  MPI_Session_detach_buffer(session, &buffer, &size);
  MPI_Session_finalize(&session);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const buffer = malloc(kBytes);
  of_all(buffer);
  of_one(buffer);
  of_session(buffer);
  free(buffer);
  MPI_Finalize();
  printf("ended\n");
  return 0;
}
