/* What a call costs a program: short calls of two ranks, many of each.
 *
 * Of each it prints `CALL BYTES SECONDS`: the least over batches of the time of one call on rank 0.
 * `iprobe` finds nothing, `barrier_self` and `message_self` (MPI_Irecv, MPI_Send, MPI_Wait: a third
 * of the three) stay on the rank, `message` is half a round trip and `allreduce` of both ranks.
 * Data that arrive are checked. */
#include <mpi.h>
#include <stdio.h>

enum { BATCHES = 40, CALLS = 2000 };

static int rank;
static double in, out;

static void check(double expected) {
  if (out != expected) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void iprobe(void) {
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  if (there) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void barrier_self(void) { MPI_Barrier(MPI_COMM_SELF); }

static void message_self(void) {
  MPI_Request request;
  MPI_Irecv(&out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &request);
  MPI_Send(&in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(in);
}

static void message(void) {
  for (int turn = 0; turn < 2; ++turn) {
    if (rank == turn) {
      MPI_Send(&in, 1, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&out, 1, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      check(in);
    }
  }
}

static void allreduce(void) {
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  check(2 * in);
}

static void measure(const char* name, int bytes, void (*call)(void), int of) {
  double least = 1;
  for (int batch = 0; batch < BATCHES; ++batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < CALLS; ++i) {
      in = batch * CALLS + i;
      call();
    }
    const double seconds = (MPI_Wtime() - begin) / CALLS / of;
    if (seconds < least) least = seconds;
  }
  if (rank == 0) printf("%s %d %.3e\n", name, bytes, least);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  measure("iprobe", 0, iprobe, 1);
  measure("barrier_self", 0, barrier_self, 1);
  measure("message_self", 8, message_self, 3);
  measure("message", 8, message, 2);
  measure("allreduce", 8, allreduce, 1);
  return MPI_Finalize();
}
