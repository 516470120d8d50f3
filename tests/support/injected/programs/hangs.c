/* Hangs in the way that its argument names, after a few rounds that are right. Nothing that waits
   is ever served. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { large = 4 << 20, tag = 5 };

static int rank, size, next, last;
static char *out, *in;
static volatile sig_atomic_t told;
static MPI_Comm world;

static void tell(int number) {
  (void)number;
  told = 1;
}

__attribute__((noinline)) static void barrier(void) { MPI_Barrier(world); }

__attribute__((noinline)) static void send(int to, int bytes) {
  MPI_Send(out, bytes, MPI_BYTE, to, tag, world);
}

__attribute__((noinline)) static void receive(int from, int with) {
  MPI_Recv(in, large, MPI_BYTE, from, with, world, MPI_STATUS_IGNORE);
}

static struct {
  const char* name;
  void (*hang)(void);
} ways[64];
static int known;

/* A way to hang is a function of that name. */
#define WAY(way)                                               \
  static void way(void);                                       \
  __attribute__((constructor)) static void enter_##way(void) { \
    ways[known].name = #way;                                   \
    ways[known++].hang = way;                                  \
  }                                                            \
  static void way(void)

/* Messages that only one side knows of. */
WAY(missing_receive) {
  if (rank == 0) send(1, large);
  barrier();
}

WAY(missing_receive_of_few_bytes) {
  if (rank == 0) MPI_Ssend(out, 8, MPI_BYTE, 1, tag, world);
  barrier();
}

WAY(missing_send) {
  if (rank == 1) receive(0, tag);
  barrier();
}

WAY(missing_send_from_any) {
  if (rank == 0) receive(MPI_ANY_SOURCE, tag);
  barrier();
}

WAY(missing_send_of_probe) {
  if (rank == 1) MPI_Probe(0, tag, world, MPI_STATUS_IGNORE);
  barrier();
}

WAY(wrong_peer) {
  if (rank == 0) send(2, large);
  if (rank == 1) receive(0, tag);
  barrier();
}

WAY(wrong_tag) {
  if (rank == 0) send(1, large);
  if (rank == 1) receive(0, tag + 1);
  barrier();
}

WAY(wrong_communicator) {
  MPI_Comm other;
  MPI_Comm_dup(world, &other);
  if (rank == 0) MPI_Send(out, large, MPI_BYTE, 1, tag, other);
  if (rank == 1) receive(0, tag);
  barrier();
}

/* Circles. */
WAY(deadlock_cycle) {
  send(next, large);
  receive(last, tag);
}

WAY(circle_of_receives) {
  receive(last, tag);
  send(next, large);
}

WAY(send_to_itself) {
  if (rank == 0) send(0, large);
  barrier();
}

WAY(circle_of_waits) {
  MPI_Request request;
  MPI_Irecv(in, large, MPI_BYTE, last, tag, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  send(next, large);
}

/* Requests. */
WAY(missing_partner) {
  MPI_Request request;
  if (rank == 1) {
    MPI_Irecv(in, large, MPI_BYTE, 0, tag, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  barrier();
}

WAY(missing_partner_of_all) {
  MPI_Request requests[4];
  if (rank == 0) {
    for (int i = 0; i < 2; ++i) MPI_Irecv(in + i * 8, 8, MPI_BYTE, 1 + i, i, world, &requests[i]);
    for (int i = 0; i < 2; ++i) {
      MPI_Isend(out + i * 8, 8, MPI_BYTE, 1 + i, i, world, &requests[2 + i]);
    }
    // Both have received what was sent: what is missing is one message to here.
    for (int i = 0; i < 2; ++i) MPI_Recv(in + 32, 0, MPI_BYTE, 1 + i, 9, world, MPI_STATUS_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Recv(in, 8, MPI_BYTE, 0, rank - 1, world, MPI_STATUS_IGNORE);
    MPI_Send(out, 0, MPI_BYTE, 0, 9, world);
    if (rank == 1) MPI_Send(out, 8, MPI_BYTE, 0, 0, world);
  }
  barrier();
}

WAY(missing_start) {
  MPI_Request request;
  if (rank == 1) {
    MPI_Recv_init(in, large, MPI_BYTE, 0, tag, world, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  barrier();
}

WAY(tests_for_ever) {
  MPI_Request request;
  int done = 0;
  if (rank == 1) {
    MPI_Irecv(in, large, MPI_BYTE, 0, tag, world, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  barrier();
}

WAY(probes_for_ever) {
  int there = 0;
  if (rank == 1) {
    while (!there) MPI_Iprobe(0, tag, world, &there, MPI_STATUS_IGNORE);
  }
  barrier();
}

/* Collectives. */
WAY(wrong_root) {
  MPI_Reduce(out, in, large, MPI_BYTE, MPI_BOR, rank == 1 ? 1 : 0, world);
  barrier();
}

WAY(wrong_root_of_gather) {
  MPI_Gather(out, large / 4, MPI_BYTE, in, large / 4, MPI_BYTE, rank == 1 ? 1 : 0, world);
  barrier();
}

WAY(wrong_count) {
  MPI_Reduce(out, in, rank == 1 ? 0 : large, MPI_BYTE, MPI_BOR, 0, world);
  barrier();
}

WAY(wrong_count_of_all) {
  MPI_Allreduce(out, in, rank == 1 ? 0 : large, MPI_BYTE, MPI_BOR, world);
  barrier();
}

WAY(swapped_collectives) {
  long value = 1, sum = 0;
  if (rank == 1) {
    barrier();
    MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, world);
  } else {
    MPI_Reduce(out, in, large, MPI_BYTE, MPI_BOR, 0, world);
    barrier();
  }
}

WAY(left_out_barrier) {
  long value = 1, sum = 0;
  if (rank != 1) barrier();
  MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, world);
}

WAY(left_out_split) {
  MPI_Comm part;
  if (rank != 1) MPI_Comm_split(world, 0, rank, &part);
  barrier();
}

WAY(left_out_file) {
  MPI_File file;
  if (rank != 1) {
    MPI_File_open(world, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  }
  barrier();
}

WAY(left_out_wait) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Ibarrier(world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  receive(last, tag);
}

WAY(crossed_communicators) {
  MPI_Comm two;
  MPI_Comm_split(world, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two);
  if (rank == 0) MPI_Barrier(two);
  barrier();
  if (rank == 1) MPI_Barrier(two);
}

/* Windows. */
static MPI_Win window(void) {
  MPI_Win made;
  void* memory;
  MPI_Win_allocate(large, 1, MPI_INFO_NULL, world, &memory, &made);
  return made;
}

WAY(left_out_fence) {
  MPI_Win win = window();
  MPI_Win_fence(0, win);
  if (rank != 1) MPI_Win_fence(0, win);
  barrier();
}

WAY(held_lock) {
  MPI_Win win = window();
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(out, 8, MPI_BYTE, 0, 0, 8, MPI_BYTE, win);
    MPI_Win_flush(0, win);
    send(2, 8);
  } else if (rank == 2) {
    receive(1, tag);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(out, 8, MPI_BYTE, 0, 0, 8, MPI_BYTE, win);
    MPI_Win_unlock(0, win);
  }
  barrier();
}

/* Ranks that do something else. */
WAY(endless_loop) {
  volatile int never = rank == 1;
  while (never) {
  }
  barrier();
}

WAY(sleeps) {
  while (rank == 1) pause();
  barrier();
}

WAY(locks_twice) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; rank == 1 && i < 2; ++i) pthread_mutex_lock(&lock);
  barrier();
}

WAY(awaits_a_child) {
  if (rank == 1) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) pause();
    }
    waitpid(child, NULL, 0);
  }
  barrier();
}

WAY(reads_a_pipe) {
  int ends[2];
  char byte;
  if (rank == 1 && pipe(ends) == 0 && read(ends[0], &byte, 1) < 0) return;
  barrier();
}

WAY(exited_early) {
  if (rank == 1) {
    while (!told) pause();
    exit(0);
  }
  barrier();
}

WAY(finalises_early) {
  if (rank != 1) barrier();
}

/* Rank 1 is sent a signal while all go on. */
WAY(goes_on) {
  for (;;) {
    barrier();
    usleep(1000);
  }
}

/* A function of its own, so that places have its name. */
__attribute__((noinline)) static int hang(const char* name) {
  for (int i = 0; i < known; ++i) {
    if (strcmp(name, ways[i].name) != 0) continue;
    fprintf(stderr, "rank %d pid %d\n", rank, (int)getpid());
    ways[i].hang();
    return 0;
  }
  return 2;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  signal(SIGUSR2, tell);
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  next = (rank + 1) % size;
  last = (rank + size - 1) % size;
  out = calloc(1, large);
  in = calloc(1, large);
  for (int round = 0; round < 20; ++round) barrier();
  const int status = hang(argv[1]);
  MPI_Finalize();
  return status;
}
