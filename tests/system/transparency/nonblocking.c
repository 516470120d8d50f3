/* Non-blocking collectives under leadline: each scenario must behave as MPI says.

   nonblocking NAME: ends with status 0 and "ok" where all is as MPI promises. LEFT=1 says that
   some of them must come to the library, LEFT=0 none; otherwise either may. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"

static int rank, size;

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                          \
    }                                                                        \
  } while (0)

/* Completes a request in one of several ways. */
static void complete(MPI_Request* request, int way) {
  MPI_Status status;
  int flag = 0, index = -1, ended = 0;
  switch (way % 8) {
    case 0:
      CHECK(MPI_Wait(request, &status) == MPI_SUCCESS);
      break;
    case 1:
      while (!flag) CHECK(MPI_Test(request, &flag, &status) == MPI_SUCCESS);
      break;
    case 2:
      CHECK(MPI_Waitall(1, request, &status) == MPI_SUCCESS);
      break;
    case 3:
      while (!flag) CHECK(MPI_Testall(1, request, &flag, &status) == MPI_SUCCESS);
      break;
    case 4:
      CHECK(MPI_Waitany(1, request, &index, &status) == MPI_SUCCESS);
      CHECK(index == 0);
      break;
    case 5:
      CHECK(MPI_Waitsome(1, request, &ended, &index, &status) == MPI_SUCCESS);
      CHECK(ended == 1 && index == 0);
      break;
    case 6:
      while (!flag) CHECK(MPI_Testany(1, request, &index, &flag, &status) == MPI_SUCCESS);
      CHECK(index == 0);
      break;
    case 7:
      while (!flag) CHECK(MPI_Request_get_status(*request, &flag, &status) == MPI_SUCCESS);
      CHECK(*request != MPI_REQUEST_NULL);
      while (ended < 1) CHECK(MPI_Testsome(1, request, &ended, &index, &status) == MPI_SUCCESS);
      CHECK(ended == 1 && index == 0);
      break;
  }
  CHECK(*request == MPI_REQUEST_NULL);
}

enum { kMost = 128 };

/* One collective of a communicator. */
struct call {
  MPI_Comm comm;
  int kind, turn, count, in_place;
  double in[kMost], out[kMost];
  MPI_Request request;
};

/* Element i of what `from` has the `turn`-th time; sums of it are exact. */
static double value(int from, int turn, int i) { return from * 1000 + turn * 3 + i % 101; }
static double sum(MPI_Comm comm, int turn, int i) {
  double all = 0;
  int ranks;
  MPI_Comm_size(comm, &ranks);
  for (int from = 0; from < ranks; ++from) all += value(from, turn, i);
  return all;
}

static void start(struct call* call, MPI_Comm comm, int turn) {
  static const int counts[] = {1, 7, 8, 13};
  int mine, ranks;
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &ranks);
  call->comm = comm;
  call->kind = turn % 3;
  call->turn = turn;
  call->count = counts[turn / 3 % 4];
  call->in_place = turn / 12 % 2;
  const int given = call->kind == 1 ? ranks * call->count : call->count;
  double* const from = call->in_place ? call->out : call->in;
  const void* const in = call->in_place ? MPI_IN_PLACE : call->in;
  for (int i = 0; i < kMost; ++i) call->out[i] = -1;
  for (int i = 0; i < given; ++i) from[i] = value(mine, turn, i);
  int code = MPI_SUCCESS;
  switch (call->kind) {
    case 0:
      code = MPI_Iallreduce(in, call->out, call->count, MPI_DOUBLE, MPI_SUM, comm, &call->request);
      break;
    case 1:
      code = MPI_Ireduce_scatter_block(in, call->out, call->count, MPI_DOUBLE, MPI_SUM, comm,
                                       &call->request);
      break;
    case 2:
      code = MPI_Ibarrier(comm, &call->request);
      break;
  }
  CHECK(code == MPI_SUCCESS && call->request != MPI_REQUEST_NULL);
}

static void check(const struct call* call) {
  int mine;
  MPI_Comm_rank(call->comm, &mine);
  if (call->kind == 2) return;
  const int first = call->kind == 1 ? mine * call->count : 0;
  for (int i = 0; i < call->count; ++i) {
    CHECK(call->out[i] == sum(call->comm, call->turn, first + i));
  }
}

static void wait_a_little(int turn) {
  if ((rank + turn) % 5 == 0) usleep(50);
}

static void results(void) {
  struct call call;
  for (int turn = 0; turn < 240; ++turn) {
    wait_a_little(turn);
    start(&call, MPI_COMM_WORLD, turn);
    wait_a_little(turn + 1);
    complete(&call.request, turn);
    check(&call);
  }
}

/* Many at a time, completed in an order of each rank's own, among the library's own and blocking
   ones and messages. */
static void orders(void) {
  enum { kCalls = 24 };
  static struct call calls[kCalls];
  unsigned chance = (unsigned)rank + 1;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int turn = 0; turn < 20; ++turn) {
    int word = turn, received = -1, order[kCalls];
    double mine = rank, all = 0;
    MPI_Request others[3];
    for (int i = 0; i < kCalls; ++i) {
      start(&calls[i], MPI_COMM_WORLD, turn * kCalls + i);
      if (i == 3) MPI_Ibcast(&word, 1, MPI_INT, turn % size, MPI_COMM_WORLD, &others[0]);
      if (i == 5) MPI_Irecv(&received, 1, MPI_INT, before, 4, MPI_COMM_WORLD, &others[1]);
      if (i == 6) MPI_Isend(&rank, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &others[2]);
      if (i == 9) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (i == 12) MPI_Barrier(MPI_COMM_WORLD);
      order[i] = i;
    }
    CHECK(all == size * (size - 1) / 2);
    if (turn % 2 == 0) {
      for (int left = kCalls; left > 0; --left) {
        chance = chance * 1103515245u + 12345u;
        const int taken = (int)(chance >> 16) % left;
        complete(&calls[order[taken]].request, turn + taken);
        order[taken] = order[left - 1];
      }
      MPI_Waitall(3, others, MPI_STATUSES_IGNORE);
    } else {
      MPI_Request requests[kCalls + 3];
      MPI_Status statuses[kCalls + 3];
      int indices[kCalls + 3], ended = 0, index = -1, left = kCalls + 3;
      for (int i = 0; i < kCalls; ++i) requests[i] = calls[i].request;
      memcpy(requests + kCalls, others, sizeof others);
      for (; left > kCalls / 2; --left) {
        CHECK(MPI_Waitany(kCalls + 3, requests, &index, statuses) == MPI_SUCCESS);
        CHECK(index >= 0 && index < kCalls + 3 && requests[index] == MPI_REQUEST_NULL);
      }
      CHECK(MPI_Waitsome(kCalls + 3, requests, &ended, indices, statuses) == MPI_SUCCESS);
      CHECK(ended > 0 && ended <= left);
      CHECK(MPI_Waitall(kCalls + 3, requests, statuses) == MPI_SUCCESS);
      for (int i = 0; i < kCalls + 3; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
      CHECK(MPI_Waitany(kCalls + 3, requests, &index, statuses) == MPI_SUCCESS);
      CHECK(index == MPI_UNDEFINED);
    }
    CHECK(received == before && word == turn);
    for (int i = 0; i < kCalls; ++i) check(&calls[i]);
  }
}

/* One rank is far behind; a start waits for nobody all the same. */
static void late(void) {
  enum { kCalls = 200 };
  struct call* const calls = malloc(kCalls * sizeof *calls);
  int behind = 0;
  for (int turn = 0; turn < 3; ++turn) {
    /* It needs a message that the others send when they have started all. */
    if (rank == turn % size) {
      for (int from = 0; from < size; ++from) {
        if (from != rank) {
          MPI_Recv(&behind, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
      }
    }
    for (int i = 0; i < kCalls; ++i) start(&calls[i], MPI_COMM_WORLD, i);
    if (rank != turn % size) MPI_Send(&turn, 1, MPI_INT, turn % size, 5, MPI_COMM_WORLD);
    for (int i = kCalls - 1; i >= 0; --i) complete(&calls[i].request, i + turn);
    for (int i = 0; i < kCalls; ++i) check(&calls[i]);
  }
  free(calls);
}

/* Rank 0 needs a message from one that waits in the collective, which it has started. And the
   other way round: who waits takes in what is sent to it. */
static void progress(void) {
  enum { kLong = 300000 };
  int word = 0;
  char* const data = calloc(kLong, 1);
  struct call call;
  MPI_Request receive;
  for (int turn = 0; turn < 20; ++turn) {
    start(&call, MPI_COMM_WORLD, 2 * turn);
    if (rank == 0) {
      CHECK(MPI_Recv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(word == turn);
      complete(&call.request, turn);
    } else {
      complete(&call.request, turn);
      if (rank == 1) CHECK(MPI_Send(&turn, 1, MPI_INT, 0, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    }
    check(&call);
    if (rank == 1) MPI_Irecv(data, kLong, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &receive);
    if (rank == 0) MPI_Ssend(data, kLong, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    start(&call, MPI_COMM_WORLD, 2 * turn + 1);
    complete(&call.request, turn);
    check(&call);
    if (rank == 1) MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
  free(data);
}

/* On communicators of some ranks, and on ones that are freed before their collectives end. */
static void lives(void) {
  struct call calls[6];
  double mine = rank, expected = 0;
  for (int turn = 0; turn < 30; ++turn) {
    MPI_Comm half, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, turn % 2 ? rank : -rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < 12; ++i) {
      MPI_Allreduce(&mine, &expected, 1, MPI_DOUBLE, MPI_SUM, copy);
      MPI_Barrier(half);
    }
    for (int i = 0; i < 3; ++i) start(&calls[i], half, turn + i);
    for (int i = 3; i < 6; ++i) start(&calls[i], copy, 3 * turn + i);
    MPI_Comm freed = copy;
    if (turn % 3 == 0) MPI_Comm_free(&freed);
    for (int i = 5; i >= 0; --i) {
      complete(&calls[i].request, turn + i);
      if (i >= 3) calls[i].comm = MPI_COMM_WORLD; /* the same ranks */
      check(&calls[i]);
    }
    if (turn % 3 != 0) MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
  }
}

/* Too much, and an operation of the program. */
static void add(void* in, void* out, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)out)[i] += ((int*)in)[i];
}
static void left(void) {
  enum { kLong = 1000 };
  static double in[kLong], out[kLong];
  struct call before, after;
  MPI_Op op;
  MPI_Request sum_request, request;
  int mine = rank + 1, all = 0;
  MPI_Op_create(add, 1, &op);
  for (int turn = 0; turn < 40; ++turn) {
    for (int i = 0; i < kLong; ++i) in[i] = value(rank, turn, i);
    start(&before, MPI_COMM_WORLD, turn);
    MPI_Iallreduce(in, out, kLong, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &sum_request);
    start(&after, MPI_COMM_WORLD, turn + 1);
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
    complete(&request, 0);
    complete(&after.request, turn);
    complete(&sum_request, 1);
    complete(&before.request, turn + 1);
    CHECK(all == size * (size + 1) / 2);
    for (int i = 0; i < kLong; ++i) CHECK(out[i] == sum(MPI_COMM_WORLD, turn, i));
    check(&before);
    check(&after);
  }
  MPI_Op_free(&op);
}

#if MPI_VERSION >= 4
/* Ranks may call either form of one collective. */
static void large(void) {
  double mine = rank, all = 0;
  MPI_Request request;
  for (int turn = 0; turn < 40; ++turn) {
    all = 0;
    if ((rank + turn) % 2 == 0) {
      MPI_Iallreduce_c(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    } else {
      MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    }
    complete(&request, turn);
    CHECK(all == size * (size - 1) / 2);
  }
}
#endif

/* One thread starts, two others complete, on one communicator; others have one of their own. */
enum { kThreads = 3 };
static MPI_Comm of_thread[kThreads];
static void* finish(void* argument) {
  struct call* const call = argument;
  complete(&call->request, call->turn);
  return NULL;
}
static void* run(void* argument) {
  const long thread = (long)argument;
  for (int i = 0; i < 10; ++i) MPI_Barrier(of_thread[thread]);
  for (int turn = 0; turn < 40; ++turn) {
    struct call calls[2];
    pthread_t others[2];
    for (int i = 0; i < 2; ++i) {
      start(&calls[i], of_thread[thread], 2 * turn + i);
      pthread_create(&others[i], NULL, finish, &calls[i]);
    }
    for (int i = 0; i < 2; ++i) {
      pthread_join(others[i], NULL);
      check(&calls[i]);
    }
  }
  return NULL;
}
static void threads(void) {
  pthread_t all[kThreads];
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]);
  for (long i = 0; i < kThreads; ++i) pthread_create(&all[i], NULL, run, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&of_thread[i]);
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  const char* const expected = getenv("LEFT");
  const int several = strcmp(name, "threads") == 0;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD); /* with a profile, it is adopted here */
  const int before = starts_of_nonblocking();
  if (strcmp(name, "results") == 0) results();
  if (strcmp(name, "orders") == 0) orders();
  if (strcmp(name, "late") == 0) late();
  if (strcmp(name, "progress") == 0) progress();
  if (strcmp(name, "lives") == 0) lives();
  if (strcmp(name, "left") == 0) left();
  if (several && provided == MPI_THREAD_MULTIPLE) threads();
#if MPI_VERSION >= 4
  if (strcmp(name, "large") == 0) large();
#endif
  if (expected != NULL) {
    const int to_library = starts_of_nonblocking() - before;
    CHECK(strcmp(expected, "0") == 0 ? to_library == 0 : to_library > 0);
  }
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
