/* One rank is late by LATE_S, or what it says, in what the first argument names. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LATE_S 0.2
#define BIG (4 << 20)

static int rank, size;
/* When this rank went on to what waits, by the clock of the host. */
static double entered;
static char *buffer, *other;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void be_late(void) {
  const double begin = now();
  while ((entered = now()) < begin + LATE_S) continue;
}

static void if_last_is_late(void) {
  if (rank == size - 1) be_late();
  entered = now();
}

static void collectives(const char* what, MPI_Comm comm) {
  int one = 1, sum = 0;
  if_last_is_late();
  if (!strcmp(what, "barrier")) MPI_Barrier(comm);
  if (!strcmp(what, "allreduce")) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (!strcmp(what, "bcast")) MPI_Bcast(&one, 1, MPI_INT, size - 1, comm);
  if (!strcmp(what, "reduce")) MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
  if (!strcmp(what, "ibarrier")) {
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void scan(void) {
  int one = 1, sum = 0;
  if (rank == 0) be_late();
  MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void late_sender(int ways) {
  MPI_Status status;
  MPI_Request requests[2];
  if (rank == 1) {
    be_late();
    MPI_Send(buffer, 100, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
    if (ways == 2) MPI_Send(buffer, 100, MPI_CHAR, 0, 8, MPI_COMM_WORLD);
  } else if (rank == 0 && ways == 1) {
    MPI_Recv(buffer, 100, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &status);
  } else if (rank == 0 && ways == 3) {
    MPI_Recv(buffer, 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 0) {
    MPI_Irecv(buffer, 100, MPI_CHAR, 1, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(other, 100, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void late_receiver(int starts) {
  if (rank == 0 && starts) {
    MPI_Request request;
    MPI_Isend(buffer, BIG, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 0) {
    MPI_Send(buffer, BIG, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
  } else if (rank == 1) {
    be_late();
    MPI_Recv(buffer, BIG, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void test(void) {
  if (rank == 1) {
    be_late();
    MPI_Send(buffer, 100, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Request request;
    int done = 0;
    MPI_Irecv(buffer, 100, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

/* Each rank is a group by itself. */
static void between_groups(const char* what) {
  MPI_Comm between;
  int one = 1, sum = 0;
  const int here = rank == 0 ? MPI_ROOT : 0;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &between);
  if_last_is_late();
  if (!strcmp(what, "inter_allreduce")) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, between);
  if (!strcmp(what, "inter_reduce")) MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, here, between);
  if (!strcmp(what, "inter_recv") && rank == 0) {
    MPI_Recv(buffer, 100, MPI_CHAR, 0, 7, between, MPI_STATUS_IGNORE);
  } else if (!strcmp(what, "inter_recv")) {
    MPI_Send(buffer, 100, MPI_CHAR, 0, 7, between);
  }
  MPI_Comm_free(&between);
}

/* Rank 1 puts late into the memory that rank 0 exposes. */
static void exposure(void) {
  MPI_Win window;
  MPI_Group all, partner;
  const int peer = 1 - rank;
  MPI_Win_create(buffer, 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &peer, &partner);
  if_last_is_late();
  if (rank == 0) {
    MPI_Win_post(partner, 0, window);
    MPI_Win_wait(window);
  } else {
    MPI_Win_start(partner, 0, window);
    MPI_Put(other, 10, MPI_CHAR, 0, 0, 10, MPI_CHAR, window);
    MPI_Win_complete(window);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&partner);
  MPI_Win_free(&window);
}

/* Rank 1 has locked the memory that rank 0 wants to lock. */
static void held(void) {
  char* memory;
  MPI_Win window;
  MPI_Win_allocate(100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(other, 10, MPI_CHAR, 0, 0, 10, MPI_CHAR, window);
    MPI_Win_flush(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  entered = now();
  if (rank == 1) {
    be_late();
  } else {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  }
  MPI_Win_unlock(0, window);
  MPI_Win_free(&window);
}

/* Rank 0 needs nothing of the last rank until the barrier; some libraries hold it before. */
static void scan_up(void) {
  int one = 1, sum = 0;
  if_last_is_late();
  MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void many(void) {
  for (int i = 0; i < 1000; ++i) {
    double sum, own = rank + i;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size * (size - 1) / 2.0 + 1.0 * i * size) MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Sendrecv(buffer, 1000, MPI_CHAR, (rank + 1) % size, i, other, 1000, MPI_CHAR,
                 (rank + size - 1) % size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Send(buffer, 24, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(buffer, 24, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  const char* const what = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  buffer = calloc(BIG, 1);
  other = calloc(BIG, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  entered = now();
  if (!strcmp(what, "scan")) {
    scan();
  } else if (!strcmp(what, "recv")) {
    late_sender(1);
  } else if (!strcmp(what, "waitall")) {
    late_sender(2);
  } else if (!strcmp(what, "any")) {
    late_sender(3);
  } else if (!strcmp(what, "send")) {
    late_receiver(0);
  } else if (!strcmp(what, "isend")) {
    late_receiver(1);
  } else if (!strcmp(what, "test")) {
    test();
  } else if (!strcmp(what, "many")) {
    many();
  } else if (!strcmp(what, "dup")) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    collectives("allreduce", copy);
    MPI_Comm_free(&copy);
  } else if (!strcmp(what, "split")) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &part);
    if_last_is_late();
    int one = 1;
    MPI_Bcast(&one, 1, MPI_INT, 0, part); /* the last rank of all is its first */
    MPI_Comm_free(&part);
  } else if (!strcmp(what, "window")) {
    MPI_Win window;
    MPI_Win_create(buffer, 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if_last_is_late();
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
  } else if (!strncmp(what, "inter_", 6)) {
    between_groups(what);
  } else if (!strcmp(what, "exposure")) {
    exposure();
  } else if (!strcmp(what, "held")) {
    held();
  } else if (!strcmp(what, "scan_up")) {
    scan_up();
  } else if (!strcmp(what, "exit")) {
    be_late();
    exit(0);
  } else if (!strcmp(what, "abort")) {
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(what, "fork")) {
    const pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
  } else if (!strcmp(what, "hang")) {
    if (rank == 1) {
      printf("hangs\n");
      fflush(stdout);
      MPI_Recv(buffer, 1, MPI_CHAR, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (;;) be_late();
  } else {
    collectives(what, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  printf("rank %d entered %.6f\n", rank, entered);
  printf("ended\n");
  return 0;
}
