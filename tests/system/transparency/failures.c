/* Programs of which one rank fails or dies: failures NAME [BYTES].

   Ends with status 0 and "ok" where all is as MPI promises. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common.h"

static int rank, size, last;

static void die(void) { raise(SIGKILL); }
static void die_of(int signal) {
  (void)signal;
  die();
}
static int die_with(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  die();
  return MPI_SUCCESS;
}

/* A result that cannot be written beyond its first half, where the last rank then dies. */
static void die_inside(size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t half = (bytes / 2 + page - 1) / page * page;
  char* const in = calloc(1, bytes);
  char* const room =
      mmap(NULL, 2 * half + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(room != MAP_FAILED);
  if (last) {
    signal(SIGSEGV, die_of);
    mprotect(room + half, half + page, PROT_NONE);
  }
  char* const out = room + half - bytes / 2;
  for (int i = 0; i < 100; ++i) {
    MPI_Allreduce(in, out, (int)(bytes / sizeof(int)), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void die_in_finalize(void) {
  int key = 0;
  use(MPI_COMM_WORLD, 20);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, die_with, &key, NULL);
  if (last) MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* One rank, which must pack what it sends or receives, has no memory for that. */
static void lack_memory(void) {
  enum { kElements = 64 << 20 };
  MPI_Datatype every_other;
  MPI_Type_vector(kElements, 1, 2, MPI_CHAR, &every_other);
  MPI_Type_commit(&every_other);
  char* const data = calloc(2, kElements);
  use(MPI_COMM_WORLD, 2);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (last) {
    long pages = 0;
    FILE* const file = fopen("/proc/self/statm", "r");
    CHECK(fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    const rlim_t most = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + (16 << 20);
    const struct rlimit limit = {most, most};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    MPI_Bcast(data, 1, every_other, 0, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(data, kElements, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
}

/* One buffer for both sides, which MPI forbids: prints what the library makes of it. */
static void alias(void) {
  enum { kRanks = 16 };
  int data[kRanks] = {0};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int counts[kRanks], places[kRanks];
  for (int i = 0; i < kRanks; ++i) counts[i] = 1, places[i] = i;
  const int statuses[] = {
      MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
      MPI_Allgather(data + rank, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD),
      MPI_Alltoall(data, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD),
      MPI_Reduce_scatter_block(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
      MPI_Alltoallv(data, counts, places, MPI_INT, data, counts, places, MPI_INT, MPI_COMM_WORLD),
  };
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; ++i) {
    int class = MPI_SUCCESS;
    MPI_Error_class(statuses[i], &class);
    if (rank == 0) printf("%s%d", i > 0 ? " " : "classes ", class);
  }
  if (rank == 0) printf("\n");
}

/* The last rank expects other sizes of broadcasts, up to `most` bytes, than the root sends: prints
   whether that is an error. */
static void expect_others(int most) {
  static const int sizes[] = {1, 8, 60, 300, 440, 500, 700, 5000, 20000};
  enum { kSizes = sizeof sizes / sizeof *sizes, kRounds = 10 };
  static char data[20000];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int pair = 0; pair < kSizes * kSizes; ++pair) {
    const int sent = sizes[pair / kSizes], expected = sizes[pair % kSizes];
    if (sent > most || expected > most) continue;
    for (int round = 0; round < kRounds; ++round) {
      memset(data, rank == 0 ? round : -1, sizeof data);
      CHECK(MPI_Bcast(data, sent, MPI_CHAR, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
      CHECK(data[0] == round && data[sent - 1] == round);
    }
    memset(data, rank == 0 ? 1 : -1, sizeof data);
    const int code = MPI_Bcast(data, last ? expected : sent, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(last || code == MPI_SUCCESS);
    const int taken = sent < expected ? sent : expected;
    CHECK(!last || code != MPI_SUCCESS || (data[0] == 1 && data[taken - 1] == 1));
    for (int i = taken; last && i < (int)sizeof data; ++i) CHECK(data[i] == -1);
    if (last) printf("%d %d %s\n", sent, expected, code == MPI_SUCCESS ? "taken" : "refused");
  }
  fflush(stdout);
}

/* No file of this rank may have more from here on. */
static void limit_files(rlim_t bytes) {
  const struct rlimit limit = {bytes, bytes};
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static void open_file(const char* name) {
  MPI_File file;
  const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
  CHECK(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  MPI_Comm other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  last = rank == size - 1;
  if (strcmp(name, "late") == 0 && last) sleep((unsigned)atoi(argv[2]));
  if (strcmp(name, "nothing") != 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (strcmp(name, "limit") == 0 && rank == atoi(argv[2])) limit_files(256 << 10);
    if (strcmp(name, "before") == 0 && last) die();
    if (strcmp(name, "first") == 0) use(other, 20);
    use(MPI_COMM_WORLD, 20);
    use(other, 20);
    if (strcmp(name, "adopted") == 0 && last) die();
    if (strcmp(name, "inside") == 0) die_inside(strtoul(argv[2], NULL, 10));
    if (strcmp(name, "finalize") == 0) die_in_finalize();
    if (strcmp(name, "memory") == 0) lack_memory();
    if (strcmp(name, "alias") == 0) alias();
    if (strcmp(name, "sizes") == 0) expect_others(atoi(argv[2]));
    if (strcmp(name, "open") == 0) open_file(argv[2]);
    use(MPI_COMM_WORLD, 20);
    MPI_Comm_free(&other);
  }
  if (strcmp(name, "report") == 0) limit_files(16);
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  if (strcmp(name, "twice") == 0) MPI_Finalize();
  return 0;
}
