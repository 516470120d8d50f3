/* Persistent collectives under leadline: each scenario must behave as MPI says.

   persistent NAME: ends with status 0 and "ok" where all is as MPI promises; "none" where the
   library has no persistent collectives. LEFT=1 says that the library must carry out all of them,
   LEFT=0 none; otherwise either may. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)

static int rank, size;

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                          \
    }                                                                        \
  } while (0)

#define REQUEST_COUNT 64

static MPI_Request start_anew(MPI_Request request) {
  CHECK(MPI_Start(&request) == MPI_SUCCESS);
  return request;
}

/* Libraries leave something in the statuses of their own. */
static int by_leadline;

static int is_empty(const MPI_Status* status) {
  if (!by_leadline) return 1;
  int count = -1, cancelled = 1;
  MPI_Get_count(status, MPI_BYTE, &count);
  MPI_Test_cancelled(status, &cancelled);
  return count == 0 && !cancelled && status->MPI_SOURCE == MPI_ANY_SOURCE &&
         status->MPI_TAG == MPI_ANY_TAG;
}

/* Completes a request in one of several ways. */
static void complete(MPI_Request* request, int way) {
  MPI_Status status;
  int flag = 0, index = -1, ended = 0;
  memset(&status, 77, sizeof status);
#ifdef MPICH_VERSION
  /* Its own ones, up to 5.0.2, fail or hang in other ways than MPI_Wait. */
  if (!by_leadline) way = 0;
#endif
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
      CHECK(is_empty(&status));
      while (ended < 1) CHECK(MPI_Testsome(1, request, &ended, &index, &status) == MPI_SUCCESS);
      CHECK(ended == 1 && index == 0);
      break;
  }
  CHECK(is_empty(&status));
  CHECK(*request != MPI_REQUEST_NULL);
}

/* Element i of what `from` has for `to` the `turn`-th time. */
static double value(int from, int to, int turn, int i) {
  return from * 1000 + to * 17 + turn * 3 + i % 101;
}
static double sum(int to, int turn, int i) {
  double all = 0;
  for (int from = 0; from < size; ++from) all += value(from, to, turn, i);
  return all;
}

static void wait_a_little(int turn) {
  if ((rank + turn) % 5 == 0) usleep(50);
}

enum { kTurns = 24 };

static void allreduce(int count, int in_place) {
  double* const in = malloc(count * sizeof *in);
  double* const out = malloc(count * sizeof *out);
  double* const from = in_place ? out : in;
  MPI_Request request;
  CHECK(MPI_Allreduce_init(in_place ? MPI_IN_PLACE : in, out, count, MPI_DOUBLE, MPI_SUM,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &request) == MPI_SUCCESS);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int i = 0; i < count; ++i) out[i] = -1;
    for (int i = 0; i < count; ++i) from[i] = value(rank, 0, turn, i);
    wait_a_little(turn);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    wait_a_little(turn + 1);
    complete(&request, turn);
    for (int i = 0; i < count; ++i) CHECK(out[i] == sum(0, turn, i));
  }
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  free(in);
  free(out);
}

static void allgather(int count, int in_place) {
  double* const in = malloc(count * sizeof *in);
  double* const out = malloc(size * count * sizeof *out);
  double* const from = in_place ? out + rank * count : in;
  MPI_Request request;
  CHECK(MPI_Allgather_init(in_place ? MPI_IN_PLACE : in, count, MPI_DOUBLE, out, count, MPI_DOUBLE,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &request) == MPI_SUCCESS);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int i = 0; i < size * count; ++i) out[i] = -1;
    for (int i = 0; i < count; ++i) from[i] = value(rank, 0, turn, i);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    wait_a_little(turn);
    complete(&request, turn);
    for (int i = 0; i < size * count; ++i) CHECK(out[i] == value(i / count, 0, turn, i % count));
  }
  MPI_Request_free(&request);
  free(in);
  free(out);
}

static void alltoall(int count, int in_place) {
  double* const in = malloc(size * count * sizeof *in);
  double* const out = malloc(size * count * sizeof *out);
  double* const from = in_place ? out : in;
  MPI_Request request;
  CHECK(MPI_Alltoall_init(in_place ? MPI_IN_PLACE : in, count, MPI_DOUBLE, out, count, MPI_DOUBLE,
                          MPI_COMM_WORLD, MPI_INFO_NULL, &request) == MPI_SUCCESS);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int i = 0; i < size * count; ++i) out[i] = -1;
    for (int i = 0; i < size * count; ++i) from[i] = value(rank, i / count, turn, i % count);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    wait_a_little(turn);
    complete(&request, turn);
    for (int i = 0; i < size * count; ++i) CHECK(out[i] == value(i / count, rank, turn, i % count));
  }
  MPI_Request_free(&request);
  free(in);
  free(out);
}

static void reduce_scatter_block(int count, int in_place) {
  double* const in = malloc(size * count * sizeof *in);
  double* const out = malloc(size * count * sizeof *out);
  double* const from = in_place ? out : in;
  MPI_Request request;
  CHECK(MPI_Reduce_scatter_block_init(in_place ? MPI_IN_PLACE : in, out, count, MPI_DOUBLE, MPI_SUM,
                                      MPI_COMM_WORLD, MPI_INFO_NULL, &request) == MPI_SUCCESS);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int i = 0; i < size * count; ++i) out[i] = -1;
    for (int i = 0; i < size * count; ++i) from[i] = value(rank, i / count, turn, i % count);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    wait_a_little(turn);
    complete(&request, turn);
    for (int i = 0; i < count; ++i) CHECK(out[i] == sum(rank, turn, i));
  }
  MPI_Request_free(&request);
  free(in);
  free(out);
}

/* No rank leaves the k-th before all have started it. */
static void barrier(void) {
  MPI_Request request;
  int arrived = 0, least = 0;
  MPI_Win window;
  int* counters;
  CHECK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request) == MPI_SUCCESS);
  MPI_Win_allocate_shared(rank == 0 ? size * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL,
                          MPI_COMM_WORLD, &counters, &window);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &counters);
  if (rank == 0) memset(counters, 0, size * sizeof(int));
  PMPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < 4 * kTurns; ++turn) {
    wait_a_little(turn);
    __atomic_store_n(&counters[rank], ++arrived, __ATOMIC_SEQ_CST);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    complete(&request, turn);
    for (int other = 0; other < size; ++other) {
      least = __atomic_load_n(&counters[other], __ATOMIC_SEQ_CST);
      CHECK(least >= arrived);
    }
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  MPI_Request_free(&request);
  MPI_Win_free(&window);
}

static void results(void) {
  const int counts[] = {1, 7, 8, 100, 1000};
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; ++i) {
      allreduce(counts[i], in_place);
      allgather(counts[i], in_place);
      alltoall(counts[i], in_place);
      reduce_scatter_block(counts[i], in_place);
    }
    allreduce(8192, in_place);
    allgather(8192, in_place);
  }
  barrier();
}

/* More than leadline takes, and what it leaves to the library. */
static void subtract(void* in, void* out, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)out)[i] = ((int*)in)[i] * 3 + ((int*)out)[i];
}
static void left(void) {
  MPI_Op op;
  MPI_Request request;
  int mine = rank + 1, all = 0, expected = 1;
  allreduce(100000, 0);
  MPI_Op_create(subtract, 0, &op);
  CHECK(MPI_Allreduce_init(&mine, &all, 1, MPI_INT, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request) ==
        MPI_SUCCESS);
  for (int i = 1; i < size; ++i) expected = expected * 3 + i + 1;
  for (int turn = 0; turn < 4; ++turn) {
    all = 0;
    request = start_anew(request);
    complete(&request, turn);
    CHECK(all == expected);
  }
  MPI_Request_free(&request);
  MPI_Op_free(&op);
}

/* Rank 0 needs a message from one that waits in the collective, which it has started: MPI says that
   this goes on. And the other way round: who waits takes in what is sent to it. */
static void progress(void) {
  enum { kLong = 300000 };
  double mine = rank, all = 0;
  int word = 0;
  char* const data = calloc(kLong, 1);
  MPI_Request request, receive;
  CHECK(MPI_Allreduce_init(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request) == MPI_SUCCESS);
  for (int turn = 0; turn < 20; ++turn) {
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    if (rank == 0) {
      CHECK(MPI_Recv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(word == turn);
      complete(&request, turn);
    } else {
      complete(&request, turn);
      if (rank == 1) CHECK(MPI_Send(&turn, 1, MPI_INT, 0, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    }
    CHECK(all == size * (size - 1) / 2);
    if (rank == 1) MPI_Irecv(data, kLong, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &receive);
    if (rank == 0) MPI_Ssend(data, kLong, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    complete(&request, turn);
    if (rank == 1) MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  free(data);
}

/* Arrays with requests of every kind. */
static void arrays(void) {
  enum { kRequests = 6 };
  MPI_Request requests[kRequests];
  MPI_Status statuses[kRequests];
  double mine = rank, all = 0;
  int received = -1, index = -1, flag = 0, ended = 0, indices[kRequests];
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  /* 0: leadline's, 1: null, 2: the library's, 3: inactive, 4: leadline's, 5: a persistent message
   */
  MPI_Allreduce_init(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[0]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[4]);
  requests[1] = requests[2] = MPI_REQUEST_NULL;
  MPI_Send_init(&rank, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[5]);
  /* Nothing is active. */
  CHECK(MPI_Testany(5, requests, &index, &flag, statuses) == MPI_SUCCESS);
  CHECK(flag && index == MPI_UNDEFINED && is_empty(statuses));
  index = 0;
  CHECK(MPI_Waitany(5, requests, &index, statuses) == MPI_SUCCESS);
  CHECK(index == MPI_UNDEFINED && is_empty(statuses));
  CHECK(MPI_Testsome(5, requests, &ended, indices, statuses) == MPI_SUCCESS);
  CHECK(ended == MPI_UNDEFINED);
  ended = 0;
  CHECK(MPI_Waitsome(5, requests, &ended, indices, statuses) == MPI_SUCCESS);
  CHECK(ended == MPI_UNDEFINED);
  flag = 0;
  CHECK(MPI_Testall(5, requests, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && flag);
  CHECK(MPI_Waitall(5, requests, statuses) == MPI_SUCCESS);
  for (int i = 0; i < 5; ++i) CHECK(is_empty(&statuses[i]));
  CHECK(MPI_Wait(&requests[3], statuses) == MPI_SUCCESS && is_empty(statuses));
  flag = 0;
  CHECK(MPI_Test(&requests[3], &flag, statuses) == MPI_SUCCESS && flag);
  flag = 0;
  CHECK(MPI_Request_get_status(requests[3], &flag, statuses) == MPI_SUCCESS && flag);
  for (int turn = 0; turn < 40; ++turn) {
    MPI_Request started[] = {requests[0], requests[4], requests[5]};
    int left = 4;
    all = -1;
    received = -1;
    memset(statuses, 77, sizeof statuses);
    MPI_Irecv(&received, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &requests[2]);
    wait_a_little(turn);
    CHECK(MPI_Startall(3, started) == MPI_SUCCESS);
    switch (turn % 5) {
      case 0:
        CHECK(MPI_Waitall(kRequests, requests, turn % 2 ? MPI_STATUSES_IGNORE : statuses) ==
              MPI_SUCCESS);
        if (turn % 2 == 0) {
          for (int i = 0; i < 5; ++i) CHECK(i == 2 || is_empty(&statuses[i]));
          CHECK(statuses[2].MPI_SOURCE == before && statuses[2].MPI_TAG == 7);
        }
        break;
      case 1:
        for (flag = 0; !flag;) {
          CHECK(MPI_Testall(kRequests, requests, &flag, statuses) == MPI_SUCCESS);
          if (!flag) CHECK(requests[2] != MPI_REQUEST_NULL);
        }
        CHECK(is_empty(&statuses[0]) && is_empty(&statuses[4]));
        CHECK(statuses[2].MPI_SOURCE == before);
        break;
      case 2:
        for (int seen = 0; left > 0; --left) {
          CHECK(MPI_Waitany(kRequests, requests, &index, statuses) == MPI_SUCCESS);
          CHECK(index == 0 || index == 2 || index == 4 || index == 5);
          CHECK((seen & 1 << index) == 0);
          seen |= 1 << index;
          if (index == 2) CHECK(statuses[0].MPI_SOURCE == before);
          if (index == 0 || index == 4) CHECK(is_empty(statuses));
        }
        break;
      case 3:
        while (left > 0) {
          CHECK(MPI_Waitsome(kRequests, requests, &ended, indices, statuses) == MPI_SUCCESS);
          CHECK(ended > 0 && ended <= left);
          for (int i = 0; i < ended; ++i) {
            if (indices[i] == 2) CHECK(statuses[i].MPI_SOURCE == before);
            if (indices[i] == 0 || indices[i] == 4) CHECK(is_empty(&statuses[i]));
          }
          left -= ended;
        }
        break;
      case 4:
        while (left > 0) {
          if (left % 2 == 0) {
            CHECK(MPI_Testsome(kRequests, requests, &ended, indices, MPI_STATUSES_IGNORE) ==
                  MPI_SUCCESS);
            CHECK(ended >= 0);
            left -= ended;
          } else {
            CHECK(MPI_Testany(kRequests, requests, &index, &flag, MPI_STATUS_IGNORE) ==
                  MPI_SUCCESS);
            if (flag) CHECK(index != MPI_UNDEFINED);
            left -= flag ? 1 : 0;
          }
        }
        break;
    }
    CHECK(all == size * (size - 1) / 2 && received == before);
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    CHECK(requests[2] == MPI_REQUEST_NULL && requests[3] != MPI_REQUEST_NULL);
    index = 0;
    CHECK(MPI_Waitany(5, requests, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(index == MPI_UNDEFINED);
  }
  for (int i = 0; i < kRequests; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) CHECK(MPI_Request_free(&requests[i]) == MPI_SUCCESS);
  }
}

/* Requests outlive their communicators, and many live at a time. */
static void lives(void) {
  MPI_Request requests[REQUEST_COUNT];
  double mine[REQUEST_COUNT], all[REQUEST_COUNT];
  for (int round = 0; round < 6; ++round) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < REQUEST_COUNT; ++i) {
      CHECK(MPI_Allreduce_init(&mine[i], &all[i], 1, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL,
                               &requests[i]) == MPI_SUCCESS);
    }
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
    for (int turn = 0; turn < 6; ++turn) {
      for (int i = 0; i < REQUEST_COUNT; ++i) mine[i] = rank * (i + 1) + turn, all[i] = -1;
      CHECK(MPI_Startall(REQUEST_COUNT, requests) == MPI_SUCCESS);
      if (turn % 2 == 0) {
        CHECK(MPI_Waitall(REQUEST_COUNT, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
      } else {
        for (int i = REQUEST_COUNT - 1; i >= 0; --i) complete(&requests[i], i);
      }
      for (int i = 0; i < REQUEST_COUNT; ++i) {
        CHECK(all[i] == size * (size - 1) / 2 * (i + 1.0) + size * turn);
      }
    }
    /* Some were never started; each rank frees in an order of its own. */
    for (int i = 0; i < REQUEST_COUNT; ++i) {
      MPI_Request* const request = &requests[(i + 11 * rank) % REQUEST_COUNT];
      CHECK(MPI_Request_free(request) == MPI_SUCCESS && *request == MPI_REQUEST_NULL);
    }
  }
}

/* What ranks may give differently: then all leave it to the library, or none does. */
static void disagree(void) {
  MPI_Request request;
  MPI_Datatype pair;
  double in[2] = {rank, 2 * rank}, out[2] = {-1, -1};
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  double* const all = malloc(2 * size * sizeof *all);
  if (rank == size - 1) {
    CHECK(MPI_Allgather_init(in, 1, pair, all, 2, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request) == MPI_SUCCESS);
  } else {
    CHECK(MPI_Allgather_init(in, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request) == MPI_SUCCESS);
  }
  for (int turn = 0; turn < 8; ++turn) {
    for (int i = 0; i < 2 * size; ++i) all[i] = -1;
    request = start_anew(request);
    complete(&request, turn);
    for (int i = 0; i < size; ++i) CHECK(all[2 * i] == i && all[2 * i + 1] == 2 * i);
  }
  MPI_Request_free(&request);
  MPI_Type_free(&pair);
  /* One in place, with the operands where results go. */
  if (rank == 0) memcpy(out, in, sizeof in);
  CHECK(MPI_Allreduce_init(rank == 0 ? MPI_IN_PLACE : in, out, 2, MPI_DOUBLE, MPI_SUM,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &request) == MPI_SUCCESS);
  request = start_anew(request);
  complete(&request, 0);
  CHECK(out[0] == size * (size - 1) / 2 && out[1] == size * (size - 1));
  MPI_Request_free(&request);
  free(all);
}

#if MPI_VERSION >= 4
/* Ranks may call either form. */
static void large(void) {
  MPI_Request request;
  double in = rank, out = -1;
  if (rank == 0) {
    MPI_Allreduce_init_c(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                         &request);
  } else {
    MPI_Allreduce_init(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  }
  for (int turn = 0; turn < 8; ++turn) {
    out = -1;
    request = start_anew(request);
    complete(&request, turn);
    CHECK(out == size * (size - 1) / 2);
  }
  MPI_Request_free(&request);
}
#endif

/* Each thread has a communicator and requests of its own, beside blocking collectives. */
enum { kThreads = 3 };
static MPI_Comm of_thread[kThreads];
static void* run(void* argument) {
  const int thread = (int)(long)argument;
  MPI_Request request;
  double in = 0, out = 0;
  for (int round = 0; round < 5; ++round) {
    CHECK(MPI_Allreduce_init(&in, &out, 1, MPI_DOUBLE, MPI_SUM, of_thread[thread], MPI_INFO_NULL,
                             &request) == MPI_SUCCESS);
    for (int turn = 0; turn < 20; ++turn) {
      in = rank + thread * turn;
      request = start_anew(request);
      if (turn % 4 == 0) MPI_Barrier(of_thread[thread]);
      complete(&request, turn + thread);
      CHECK(out == size * (size - 1) / 2 + (double)size * thread * turn);
    }
    MPI_Request_free(&request);
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
  by_leadline = expected != NULL && strcmp(expected, "0") == 0;
  if (strcmp(name, "results") == 0) results();
  if (strcmp(name, "left") == 0) left();
  if (strcmp(name, "progress") == 0) progress();
  if (strcmp(name, "arrays") == 0) arrays();
  if (strcmp(name, "lives") == 0) lives();
  if (strcmp(name, "disagree") == 0) disagree();
  if (several && provided == MPI_THREAD_MULTIPLE) threads();
#if MPI_VERSION >= 4
  if (strcmp(name, "large") == 0) large();
#endif
  if (expected != NULL) {
    const int to_library = starts_of_the_library();
    CHECK(strcmp(expected, "0") == 0 ? to_library == 0 : to_library > 0);
  }
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}

#else

int main(void) {
  printf("none\n");
  return 0;
}

#endif
