/* What programs do around collectives: each scenario must behave as without leadline.

   scenarios NAME: ends with status 0 and "ok" where all is as MPI promises. */
#include <dirent.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

static int rank, size;

static int descriptors(void) {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  CHECK(fscanf(file, "%ld %ld", &pages, &resident) == 2);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Each is used often enough to be adopted. */
static void communicators(void) {
  const int number = 300;
  int open_at_first = 0;
  long at_first = 0;
  for (int i = 0; i < number; ++i) {
    MPI_Comm comm;
    if (i % 3 == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (i % 3 == 1) MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comm);
    if (i % 3 == 2) MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm);
    if (comm == MPI_COMM_NULL) continue;
    use(comm, 10);
    i % 2 == 0 ? MPI_Comm_free(&comm) : MPI_Comm_disconnect(&comm);
    if (i >= number / 3 && open_at_first == 0) {
      at_first = resident_kib();
      open_at_first = descriptors();
    }
  }
  CHECK(descriptors() <= open_at_first);
  CHECK(resident_kib() < at_first + 4096);
}

static int copied, errors, last_error;
static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copied;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++errors;
  MPI_Error_class(*code, &last_error);
}

/* The program's attributes, name and error handler are its own. */
static void possessions(void) {
  MPI_Comm comm;
  MPI_Errhandler own, found;
  int key = 0, there = 0, value = 0, length = 0, buffer[2] = {0, 0};
  void* got = NULL;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(comm, key, &value);
  MPI_Comm_set_name(comm, "the program's");
  MPI_Comm_create_errhandler(handle, &own);
  MPI_Comm_set_errhandler(comm, own);
  use(comm, 20);
  CHECK(copied == 0);
  MPI_Comm_get_attr(comm, key, &got, &there);
  CHECK(there && got == &value);
  MPI_Comm_get_name(comm, name, &length);
  CHECK(strcmp(name, "the program's") == 0);
  MPI_Comm_get_errhandler(comm, &found);
  CHECK(found == own);
  MPI_Errhandler_free(&found);
  /* Wrong calls, on all ranks: the handler of this communicator is told what is wrong. */
  MPI_Bcast(buffer, 1, MPI_INT, size, comm);
  CHECK(errors == 1 && last_error == MPI_ERR_ROOT);
  MPI_Bcast(buffer, 1, MPI_DATATYPE_NULL, 0, comm);
  CHECK(errors == 2 && last_error == MPI_ERR_TYPE);
  MPI_Allreduce(buffer, buffer + 1, 1, MPI_FLOAT, MPI_BAND, comm);
  CHECK(errors == 3 && last_error == MPI_ERR_OP);
  use(comm, 2);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&own);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
}

/* Messages that are under way while ranks wait in collectives. */
static void messages(void) {
  enum { kLarge = 1 << 20 };
  MPI_Comm comm;
  MPI_Request wild, broadcast, sum;
  MPI_Status status;
  int got = -1, all = 0, told = rank == 0 ? 42 : 0;
  char* const data = calloc(1, kLarge);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &wild);
  MPI_Ibcast(&told, 1, MPI_INT, 0, comm, &broadcast);
  MPI_Iallreduce(&rank, &all, 1, MPI_INT, MPI_SUM, comm, &sum);
  use(comm, 20);
  MPI_Wait(&broadcast, MPI_STATUS_IGNORE);
  MPI_Wait(&sum, MPI_STATUS_IGNORE);
  CHECK(told == 42 && all == size * (size - 1) / 2);
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 7, comm);
  MPI_Wait(&wild, &status);
  CHECK(got == (rank + size - 1) % size && status.MPI_TAG == 7);
  /* The sender's large message needs the receiver, which is in a collective already. */
  for (int i = 0; i < 10; ++i) {
    MPI_Request receive;
    if (rank == 0 && size > 1) MPI_Send(data, kLarge, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Irecv(data, kLarge, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &receive);
    use(comm, 1);
    if (rank == 1) MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&comm);
  free(data);
}

static MPI_Datatype at(int* address, int count) {
  MPI_Aint absolute;
  MPI_Datatype type, resized;
  MPI_Get_address(address, &absolute);
  MPI_Type_create_hindexed(1, &count, &absolute, MPI_INT, &type);
  MPI_Type_create_resized(type, 0, count * (MPI_Aint)sizeof *address, &resized);
  MPI_Type_commit(&resized);
  MPI_Type_free(&type);
  return resized;
}

/* One rank alone says by its types where its data are: both buffers are MPI_BOTTOM there. */
static void absolute(void) {
  int* const in = malloc(size * sizeof *in);
  int* const out = malloc(size * sizeof *out);
  const int alone = rank == size - 1;
  MPI_Datatype from = alone ? at(in, 1) : MPI_INT;
  MPI_Datatype to = alone ? at(out, 1) : MPI_INT;
  for (int call = 0; call < 40; ++call) {
    for (int i = 0; i < size; ++i) in[i] = 100 * rank + i + call, out[i] = -1;
    void* const sent = alone ? MPI_BOTTOM : in;
    void* const received = alone ? MPI_BOTTOM : out;
    if (call % 2 == 0) {
      MPI_Allgather(sent, 1, from, received, 1, to, MPI_COMM_WORLD);
    } else {
      MPI_Alltoall(sent, 1, from, received, 1, to, MPI_COMM_WORLD);
    }
    for (int i = 0; i < size; ++i) {
      CHECK(out[i] == 100 * i + (call % 2 == 0 ? 0 : rank) + call);
    }
  }
  if (alone) MPI_Type_free(&from);
  if (alone) MPI_Type_free(&to);
  free(in);
  free(out);
}

static void meet(int collective) {
  static int in[64], out[64];
  if (collective == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (collective == 1) MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (collective == 2) MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
  if (collective == 3) MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
}

/* What was sent before all ranks met, one look finds: programs poll so. */
static void arrivals(void) {
  enum { kTries = 400, kMost = 4 };
  MPI_Comm comm;
  int late = 0, data = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < kTries; ++i) {
    const int last = i % kMost;
    int found = 1, done = 1;
    MPI_Request expected = MPI_REQUEST_NULL;
    if (rank == 1) MPI_Irecv(&data, 1, MPI_INT, 0, kMost, comm, &expected);
    MPI_Barrier(comm);
    for (int tag = 0; rank == 0 && tag <= last; ++tag) {
      MPI_Send(&data, 1, MPI_INT, 1, tag, comm);
    }
    if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, kMost, comm);
    meet(i / kMost % 4);
    if (rank != 1) continue;
    MPI_Iprobe(0, last, comm, &found, MPI_STATUS_IGNORE);
    MPI_Test(&expected, &done, MPI_STATUS_IGNORE);
    late += found && done ? 0 : 1;
    MPI_Wait(&expected, MPI_STATUS_IGNORE);
    for (int tag = 0; tag <= last; ++tag) {
      MPI_Recv(&data, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
    }
  }
  /* The processor may be taken from a rank at any time. */
  CHECK(late <= kTries / 20);
  MPI_Comm_free(&comm);
}

static long page_faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/* One after the other of the same ranks: how many calls of the library, and how long,
   MPI_COMM_WORLD takes to be adopted, with how many page faults, then the first one and the later
   ones. */
static void again(void) {
  enum { kNumber = 21 };
  long pages = page_faults();
  int first = 0, begin = agreements();
  double time = MPI_Wtime();
  use(MPI_COMM_WORLD, 1);
  pages = page_faults() - pages;
  if (rank == 0) printf("pages %ld\n", pages);
  if (rank == 0) printf("world %d %.0f us\n", agreements() - begin, 1e6 * (MPI_Wtime() - time));
  begin = agreements();
  time = MPI_Wtime();
  for (int i = 0; i < kNumber; ++i) {
    MPI_Comm comm;
    int sum = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Comm_free(&comm);
    if (i > 0) continue;
    if (rank == 0) printf("first %d %.0f us\n", agreements() - begin, 1e6 * (MPI_Wtime() - time));
    first = agreements();
    time = MPI_Wtime();
  }
  time = (MPI_Wtime() - time) / (kNumber - 1);
  if (rank == 0) printf("again %d %.0f us\n", (agreements() - first) / (kNumber - 1), 1e6 * time);
}

static void* use_in_thread(void* comm) {
  use(*(MPI_Comm*)comm, 200);
  return NULL;
}

/* Several communicators at a time, each by a thread, then one by each thread in turn. */
static void threads(void) {
  enum { kThreads = 3 };
  MPI_Comm comms[kThreads];
  pthread_t ids[kThreads];
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < kThreads; ++i) pthread_create(&ids[i], NULL, use_in_thread, &comms[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(ids[i], NULL);
  for (int i = 0; i < kThreads; ++i) {
    pthread_create(&ids[i], NULL, use_in_thread, &comms[0]);
    pthread_join(ids[i], NULL);
  }
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&comms[i]);
}

/* Intercommunicators, and what is merged from them. */
static void groups(void) {
  MPI_Comm half, between, merged;
  int mine = rank, sum = 0;
  if (size < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &between);
  for (int i = 0; i < 20; ++i) {
    int expected = 0;
    for (int other = 1 - rank % 2; other < size; other += 2) expected += other;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, between);
    CHECK(sum == expected);
    MPI_Barrier(between);
  }
  MPI_Intercomm_merge(between, rank % 2, &merged);
  use(merged, 20);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

/* A ring of all ranks but the last, whose group has too many under MPICH 5.0.2. */
static void ring(void) {
  MPI_Comm comm;
  const int ranks = size - 1, periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &comm);
  if (comm == MPI_COMM_NULL) return;
  use(comm, 20);
  MPI_Comm_free(&comm);
}

/* Counts of MPI_Count: what goes to rank i is i elements, with a hole after each block. */
static void large_counts(void) {
#if MPI_VERSION >= 4
  enum { kMost = 16 };
  int in[kMost * kMost], out[kMost * kMost];
  MPI_Count sent[kMost], received[kMost];
  MPI_Aint places[kMost], far[kMost];
  CHECK(size <= kMost);
  for (int i = 0; i < size; ++i) {
    sent[i] = i;
    received[i] = rank;
    places[i] = kMost * (size - 1 - i);
    far[i] = places[i];
  }
  /* Where rank 0 has nothing to send, and the others have more than an int can say. */
  far[0] = (MPI_Aint)1 << 40;
  for (int time = 0; time < 3; ++time) {
    const int before = calls_of_the_library();
    for (int i = 0; i < kMost * kMost; ++i) in[i] = rank * 1000 + i, out[i] = -1;
    CHECK(MPI_Alltoallv_c(in, sent, time == 1 && rank == 0 ? far : places, MPI_INT, out, received,
                          places, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int from = 0; from < size; ++from) {
      for (int i = 0; i < kMost; ++i) {
        const int there = i < rank ? from * 1000 + kMost * (size - 1 - rank) + i : -1;
        CHECK(out[places[from] + i] == there);
      }
    }
    CHECK(calls_of_the_library() - before == (time == 1 || getenv("REPLACED") == NULL));
  }
  /* In place, what is said of the data that are sent means nothing. */
  for (int i = 0; i < size; ++i) received[i] = 1;
  for (int i = 0; i < kMost * kMost; ++i) out[i] = rank * 1000 + i;
  CHECK(MPI_Alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, received, places, MPI_INT,
                        MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int from = 0; from < size; ++from) {
    CHECK(out[places[from]] == from * 1000 + kMost * (size - 1 - rank));
    CHECK(out[places[from] + 1] == rank * 1000 + places[from] + 1);
  }
#endif
}

/* A type made with counts of MPI_Count, some of whose properties only such functions tell. */
static void large_types(void) {
#if MPI_VERSION >= 4
  enum { kElements = 5 };
  MPI_Datatype every_other;
  MPI_Type_vector_c(kElements, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  for (int root = 0; root < size; ++root) {
    int data[2 * kElements];
    for (int i = 0; i < 2 * kElements; ++i) data[i] = rank == root ? root + i : -1;
    CHECK(MPI_Bcast(data, 1, every_other, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < 2 * kElements - 1; ++i) {
      CHECK(data[i] == (i % 2 == 0 || rank == root ? root + i : -1));
    }
  }
  MPI_Type_free(&every_other);
#endif
}

/* Offsets beyond int on one rank only, which must not part from the others. */
static void far_apart(void) {
#if MPI_VERSION >= 4
  enum { kElements = 600, kMore = 10 };
  const MPI_Aint far = ((MPI_Aint)1 << 31) + 12345;
  const size_t bytes = ((size_t)far + kElements + 1) * 2;
  char* const data =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(data != MAP_FAILED);
  MPI_Datatype spread;
  MPI_Type_create_resized(MPI_CHAR, 0, 2, &spread);
  MPI_Type_commit(&spread);
  for (int i = 0; i < kMore; ++i) {
    const MPI_Datatype type = i % 2 == 0 ? MPI_CHAR : spread;
    const int step = i % 2 == 0 ? 1 : 2;
    char mine[kElements];
    MPI_Count counts[2] = {kElements, kElements / 2};
    MPI_Aint places[2] = {0, rank == 0 ? far : kElements};
    memset(mine, 1 + rank + i, sizeof mine);
    for (int j = 0; j < counts[rank]; ++j) data[(places[rank] + j) * step] = mine[0];
    const void* const in = i % 4 < 2 ? mine : MPI_IN_PLACE;
    CHECK(MPI_Allgatherv_c(in, counts[rank], MPI_CHAR, data, counts, places, type,
                           MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int of = 0; of < 2; ++of) {
      for (int j = 0; j < counts[of]; ++j) CHECK(data[(places[of] + j) * step] == 1 + of + i);
    }
  }
  MPI_Type_free(&spread);
  munmap(data, bytes);
#endif
}

static void forks(void) {
  use(MPI_COMM_WORLD, 2);
  const pid_t child = fork();
  if (child == 0) exit(0);
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  use(MPI_COMM_WORLD, 10);
}

/* Sums of doubles whose order shows, and of whole numbers: how many go to the library. */
static void reproducible(void) {
  double mine = 0.1 * rank, sum = 0, truth = 0;
  use(MPI_COMM_WORLD, 2);
  const int before = calls_of_the_library();
  for (int i = 0; i < 10; ++i) {
    mine /= 3;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(&mine, &truth, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == truth || getenv("LEADLINE_REPRODUCIBLE") == NULL);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    use(MPI_COMM_WORLD, 1);
  }
  printf("%d to the library\n", calls_of_the_library() - before);
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  int provided = 0;
  const int several = strcmp(name, "threads") == 0;
  MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(name, "communicators") == 0) communicators();
  if (strcmp(name, "again") == 0) again();
  if (strcmp(name, "possessions") == 0) possessions();
  if (strcmp(name, "messages") == 0) messages();
  if (strcmp(name, "arrivals") == 0) arrivals();
  if (strcmp(name, "absolute") == 0) absolute();
  if (several && provided == MPI_THREAD_MULTIPLE) threads();
  if (strcmp(name, "groups") == 0) groups();
  if (strcmp(name, "ring") == 0) ring();
  if (strcmp(name, "forks") == 0) forks();
  if (strcmp(name, "large_types") == 0) large_types();
  if (strcmp(name, "large_counts") == 0) large_counts();
  if (strcmp(name, "far_apart") == 0) far_apart();
  if (strcmp(name, "reproducible") == 0) reproducible();
  use(MPI_COMM_WORLD, 10);
  if (rank == 0) printf("ok\n");
  if (strcmp(name, "unfinished") == 0) _exit(0);
  MPI_Finalize();
  return 0;
}
