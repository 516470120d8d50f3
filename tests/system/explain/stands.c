/* Ranks that stand, die, or only seem to: what the first argument names. */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t children;

static void note(int signal) {
  (void)signal;
  children = children + 1;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Phases without a call, each longer than a watcher waits. */
static void work(double seconds) {
  volatile double sum = 0;
  const double computed = now() + seconds;
  while (now() < computed) sum += 1;
  sleep((unsigned)seconds);
  FILE* file = tmpfile();
  const double written = now() + seconds;
  while (file != NULL && now() < written) {
    fprintf(file, "%f\n", sum);
    fflush(file);
    usleep(1000);
  }
}

static void* compute(void* seconds) {
  const double computed = now() + *(double*)seconds;
  while (now() < computed) continue;
  return NULL;
}

/* A child works, a thread does, and then the rank itself between tests. */
static void be_helped(double seconds) {
  pthread_t thread;
  const pid_t child = fork();
  if (child == 0) {
    compute(&seconds);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  if (pthread_create(&thread, NULL, compute, &seconds) == 0) pthread_join(thread, NULL);
  const double tested = now() + seconds;
  while (now() < tested) {
    double moment = 1e-3;
    int is_there = 0;
    MPI_Iprobe(0, 7, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    compute(&moment);
  }
}

int main(int argc, char** argv) {
  int rank, one = 1, sum = 0;
  const char* what = argc > 1 ? argv[1] : "";
  signal(SIGCHLD, note);
  if (argc > 2 && !strcmp(argv[2], "orphans")) prctl(PR_SET_CHILD_SUBREAPER, 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(what, "missing") && rank == 1) {
    MPI_Recv(&one, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(what, "works")) {
    work(atof(argv[2]));
  } else if (!strcmp(what, "late") && rank == 1) {
    work(atof(argv[2]));
  } else if (!strcmp(what, "helped") && rank == 1) {
    be_helped(atof(argv[2]));
  } else if (!strcmp(what, "dies") && rank == 1) {
    sleep(1);
    signal(atoi(argv[2]), SIG_DFL);
    raise(atoi(argv[2]));
  } else if (!strcmp(what, "exits") && rank == 1) {
    exit(atoi(argv[2]));
  } else if (!strcmp(what, "aborts") && rank == 1) {
    MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  } else if (!strcmp(what, "children")) {
    /* The program has started none. */
    errno = 0;
    const int found = waitpid(-1, NULL, WNOHANG);
    printf("%d %d %d\n", found, errno == ECHILD, (int)children);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  /* The program goes on without MPI. */
  if (!strcmp(what, "after")) work(atof(argv[2]));
  return 0;
}
