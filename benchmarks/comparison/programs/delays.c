/* A program whose waits are known: random computing before random calls of MPI.
 *
 *     delays SEED STEPS KIND CALLS FOLDER
 *
 * All ranks draw the same steps from SEED. In each, every rank computes for 20 to 200 us, and one
 * of them for 20 to 200 us more: always the same one (KIND late), another one each time (noise) or
 * none (balanced, in which all compute equally long). Then they call what was drawn: collectives,
 * messages between two ranks, or both (CALLS). FOLDER/RANK has a line for each call afterwards:
 * `STEP CALL PART PEER BEGIN END`, the seconds at which it began and ended on a clock of the node.
 * PART is what the rank is in it: all, root, other, sender, receiver, waiter. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL = 8, LARGE = 1 << 20 };

typedef struct {
  int step, peer;
  const char *call, *part;
  double begin, end;
} Record;

static int rank, size, records;
static Record* record;
static char *in, *out;
static unsigned long long state;

static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % below;
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void compute(double seconds) {
  const double end = now() + seconds;
  while (now() < end) continue;
}

static Record* begin(int step, const char* call, const char* part, int peer) {
  Record* made = &record[records++];
  *made = (Record){step, peer, call, part, 0, 0};
  made->begin = now();
  return made;
}

static void collective(int step, unsigned which, int root) {
  const char* part = rank == root ? "root" : "other";
  double value = rank + 1, sum = 0;
  Record* made;
  switch (which) {
    case 0:
      made = begin(step, "barrier", "all", -1);
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    case 1:
      made = begin(step, "allreduce", "all", -1);
      MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      break;
    case 2:
      made = begin(step, "bcast", part, root);
      MPI_Bcast(in, SMALL, MPI_CHAR, root, MPI_COMM_WORLD);
      break;
    case 3:
      made = begin(step, "reduce", part, root);
      MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      break;
    case 4:
      made = begin(step, "alltoall", "all", -1);
      MPI_Alltoall(in, SMALL, MPI_CHAR, out, SMALL, MPI_CHAR, MPI_COMM_WORLD);
      break;
    default:
      made = begin(step, "scan", "all", -1);
      MPI_Scan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  made->end = now();
  if (which == 1 && sum != 0.5 * size * (size + 1)) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Two ranks; the receiver of the third kind computes for `meanwhile` between MPI_Irecv and
 * MPI_Waitall, and all others do so at that time, too: nobody is late by it. */
static void message(int step, unsigned which, int from, int to, double meanwhile) {
  const int count = which == 1 ? LARGE : SMALL;
  Record* made = NULL;
  if (rank == from) {
    in[0] = (char)step;
    made = begin(step, which == 1 ? "large" : "small", "sender", to);
    MPI_Send(in, count, MPI_CHAR, to, 7, MPI_COMM_WORLD);
  } else if (rank == to && which == 2) {
    MPI_Request request;
    MPI_Irecv(out, count, MPI_CHAR, from, 7, MPI_COMM_WORLD, &request);
    compute(meanwhile);
    made = begin(step, "small", "waiter", from);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  } else if (rank == to) {
    made = begin(step, which == 1 ? "large" : "small", "receiver", from);
    MPI_Recv(out, count, MPI_CHAR, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (made != NULL) made->end = now();
  if (rank != to && which == 2) compute(meanwhile);
  if (rank == to && out[0] != (char)step) MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const int steps = atoi(argv[2]);
  const char *kind = argv[3], *calls = argv[4];
  state = strtoull(argv[1], NULL, 10) * 2654435761ULL + 12345;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  record = malloc(sizeof *record * (size_t)(steps + 2));
  in = calloc(LARGE, 1), out = calloc(LARGE, 1);
  const int always = (int)draw((unsigned)size);
  collective(-1, 0, 0);
  for (int step = 0; step < steps; ++step) {
    const double usual = 1e-6 * (20 + draw(181)), more = 1e-6 * (20 + draw(181));
    const int drawn = (int)draw((unsigned)size);
    const unsigned which = draw(6), kind_of_message = draw(3);
    const int from = (int)draw((unsigned)size), apart = 1 + (int)draw((unsigned)size - 1);
    const int both = (int)draw(2), root = (int)draw((unsigned)size);
    const int late = strcmp(kind, "late") == 0 ? always : strcmp(kind, "noise") == 0 ? drawn : -1;
    compute(usual + (rank == late ? more : 0));
    if (strcmp(calls, "messages") == 0 || (strcmp(calls, "both") == 0 && both)) {
      message(step, kind_of_message, from, (from + apart) % size, 0.5 * more);
    } else {
      collective(step, which, root);
    }
  }
  begin(steps, "barrier", "all", -1);
  MPI_Finalize();
  record[records - 1].end = now();
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", argv[5], rank);
  FILE* const file = fopen(path, "w");
  if (file == NULL) return 1;
  for (int i = 0; i < records; ++i) {
    const Record* one = &record[i];
    fprintf(file, "%d %s %s %d %.9f %.9f\n", one->step, one->call, one->part, one->peer, one->begin,
            one->end);
  }
  return fclose(file) == 0 ? 0 : 1;
}
