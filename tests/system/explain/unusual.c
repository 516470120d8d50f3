/* What programs do that the observer must not stand in the way of. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Ranks that were started apart, together with those that started them. */
static void spawn(char* program) {
  MPI_Comm children, all;
  char* arguments[] = {"spawn", NULL};
  int one = 1, sum = 0, ranks;
  MPI_Comm_get_parent(&children);
  const int is_child = children != MPI_COMM_NULL;
  if (!is_child) {
    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
  }
  MPI_Intercomm_merge(children, is_child, &all);
  MPI_Comm_size(all, &ranks);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  check(sum == ranks, "sum over two worlds");
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&children);
}

/* Communicators that are freed in another order on each rank, as libraries let them be. */
static void frees(void) {
  MPI_Comm copies[2];
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i) MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &requests[i]);
  for (int i = 0; i < 2; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  MPI_Comm_free(&copies[rank % 2]);
  MPI_Comm_free(&copies[1 - rank % 2]);
}

/* Of nothing that is sent, a type that is none. */
static void nothing(void) {
  int counts[2] = {0, 0}, places[2] = {0, 0};
  MPI_Datatype types[2] = {(MPI_Datatype)0, (MPI_Datatype)0};
  types[1 - rank] = MPI_INT;
  counts[1 - rank] = 1;
  int in = -1;
  MPI_Alltoallw(&rank, counts, places, types, &in, counts, places, types, MPI_COMM_WORLD);
  check(in == 1 - rank, "what the other rank has sent");
}

enum { kThreads = 4, kComms = 400 };
static MPI_Comm comms[kComms];
static atomic_int here;

/* Threads that use a communicator for the first time at the same moment. */
static void* exchange(void* argument) {
  const int own = *(int*)argument;
  for (int i = 0; i < kComms; ++i) {
    int in = -1;
    atomic_fetch_add(&here, 1);
    while (atomic_load(&here) < kThreads * (i + 1)) sched_yield();
    MPI_Sendrecv(&own, 1, MPI_INT, 1 - rank, own, &in, 1, MPI_INT, 1 - rank, own, comms[i],
                 MPI_STATUS_IGNORE);
    check(in == own, "message of a thread");
  }
  return NULL;
}

static void threads(void) {
  int numbers[kThreads];
  pthread_t others[kThreads];
  for (int i = 0; i < kComms; ++i) {
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[i], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    if (i > 0) pthread_create(&others[i], NULL, exchange, &numbers[i]);
  }
  exchange(&numbers[0]);
  for (int i = 1; i < kThreads; ++i) pthread_join(others[i], NULL);
}

/* A program that ends MPI when its own end has begun, with messages under way. */
static MPI_Request two[2];
static int received[2];

static void finish(void) {
  int done = 0;
  for (int i = 0; i < 2; ++i) MPI_Send(&rank, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
  while (done < 2) {
    int some = 0, which[2];
    MPI_Testsome(2, two, &some, which, MPI_STATUSES_IGNORE);
    if (some > 0) done += some;
  }
  for (int i = 0; i < 2; ++i) check(received[i] == 1 - rank, "message at the end");
  MPI_Finalize();
  printf("ended\n");
}

static void late(void) {
  int some = 0, which[2];
  for (int i = 0; i < 2; ++i) {
    MPI_Irecv(&received[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &two[i]);
  }
  MPI_Testsome(2, two, &some, which, MPI_STATUSES_IGNORE);
  check(some == 0, "no message yet");
  MPI_Barrier(MPI_COMM_WORLD);
  exit(0);
}

/* Requests that are not there, of which the library tells the program. */
static void missing(void) {
  int done = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(MPI_Wait(NULL, MPI_STATUS_IGNORE) != MPI_SUCCESS, "wait");
  check(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE) != MPI_SUCCESS, "waitall");
  check(MPI_Test(NULL, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS, "test");
  check(MPI_Start(NULL) != MPI_SUCCESS, "start");
  check(MPI_Cancel(NULL) != MPI_SUCCESS, "cancel");
  check(MPI_Request_free(NULL) != MPI_SUCCESS, "request free");
}

int main(int argc, char** argv) {
  int provided;
  /* What comes first here comes last at the end, as the destructors of global objects do. */
  if (!strcmp(argv[1], "last")) atexit(finish);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(argv[1], "spawn")) spawn(argv[0]);
  if (!strcmp(argv[1], "frees")) frees();
  if (!strcmp(argv[1], "nothing")) nothing();
  if (!strcmp(argv[1], "threads")) threads();
  if (!strcmp(argv[1], "late")) atexit(finish);
  if (!strcmp(argv[1], "late") || !strcmp(argv[1], "last")) late();
  if (!strcmp(argv[1], "missing")) missing();
  MPI_Finalize();
  printf("ended\n");
  return 0;
}
