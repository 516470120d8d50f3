/* Rank 0 asks in vain until rank 1, which is late, has sent: how, the first argument says. It tells
   how often it has asked and for how long. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MANY 4

static const char* how;
static char in[MANY][8], out[8];
static long tests, probes;
static double waited;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compute(double seconds) {
  for (const double begin = now(); now() < begin + seconds;) continue;
}

static int test(MPI_Request* request) {
  int done;
  ++tests;
  MPI_Test(request, &done, MPI_STATUS_IGNORE);
  return done;
}

static int probe(int source, MPI_Comm comm) {
  int there;
  ++probes;
  MPI_Iprobe(source, 0, comm, &there, MPI_STATUS_IGNORE);
  return there;
}

static int is(const char* scenario) { return !strcmp(how, scenario); }

static void poll(MPI_Request* requests) {
  int done = 0, which, list[MANY];
  if (is("test") || is("any")) {
    while (!test(&requests[0])) continue;
  } else if (is("in_turn")) {
    for (int i = 0; !test(&requests[i % MANY]); ++i) continue;
  } else if (is("testany") || is("any_of_many")) {
    for (; !done; ++tests) MPI_Testany(MANY, requests, &which, &done, MPI_STATUS_IGNORE);
  } else if (is("testsome")) {
    for (; !done; ++tests) MPI_Testsome(MANY, requests, &done, list, MPI_STATUSES_IGNORE);
  } else if (is("testall")) {
    for (; !done; ++tests) MPI_Testall(MANY, requests, &done, MPI_STATUSES_IGNORE);
  } else if (is("probe")) {
    while (!probe(1, MPI_COMM_WORLD)) continue;
  } else if (is("groups")) {
    /* From one place, about two groups. */
    for (int i = 0; !probe(i % 2, i % 2 ? MPI_COMM_WORLD : MPI_COMM_SELF); ++i) continue;
  } else if (is("both")) {
    while (!test(&requests[0])) probe(0, MPI_COMM_SELF);
  } else if (is("slices")) {
    /* It computes while the message is under way. */
    while (!test(&requests[0])) compute(1e-6);
  }
}

/* Between many that follow each other it computes. */
static void poll_now_and_then(MPI_Request* request) {
  for (int done = 0; !done;) {
    const double begin = now();
    for (int i = 0; i < 1000 && !done; ++i) done = test(request);
    waited += now() - begin;
    if (!done) compute(4e-3);
  }
}

int main(int argc, char** argv) {
  int rank;
  how = argv[1];
  const int rounds = atoi(argv[2]);
  const double late_s = atof(argv[3]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int keeps = !is("probe") && !is("groups");
  for (int round = 0; round < rounds; ++round) {
    MPI_Request requests[MANY];
    for (int i = 0; i < MANY && rank == 0 && keeps; ++i) {
      const int source = is("any") || is("any_of_many") ? MPI_ANY_SOURCE : 1;
      MPI_Irecv(in[i], 8, MPI_CHAR, source, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      compute(late_s);
      for (int i = 0; i < MANY; ++i) MPI_Send(out, 8, MPI_CHAR, 0, i, MPI_COMM_WORLD);
    } else if (is("now_and_then")) {
      poll_now_and_then(requests);
    } else {
      const double begin = now();
      poll(requests);
      waited += now() - begin;
    }
    if (rank == 0 && keeps) MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY && rank == 0 && !keeps; ++i) {
      MPI_Recv(in[i], 8, MPI_CHAR, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (rank == 0) printf("asked %ld %ld waited %.6f\n", tests, probes, waited);
  MPI_Finalize();
  return 0;
}
