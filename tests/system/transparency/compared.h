/* What programs have in common that compare MPI_X with PMPI_X: TRIALS SEED. They know nothing of
   leadline but `REPLACED`: 1 where calls are expected to be replaced, `some` where some may be. */
#include "common.h"

static char *in, *truth, *result;
static int rank, size, wrong, trials;
static int replaced, some_replaced;
static unsigned random_state;

static int draw(int below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (int)((random_state >> 8) % (unsigned)below);
}

/* A program, with so many bytes for each of its three buffers. */
static void begin(int argc, char** argv, size_t bytes) {
  const char* const expected = getenv("REPLACED");
  MPI_Init(&argc, &argv);
  trials = argc > 1 ? atoi(argv[1]) : 20;
  random_state = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
  some_replaced = expected != NULL && strcmp(expected, "some") == 0;
  replaced = expected != NULL && atoi(expected);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  in = calloc(3, bytes);
  truth = in + bytes;
  result = truth + bytes;
}

/* Returns the program's status. */
static int end(void) {
  int sum = 0, total = 0, passed = calls_of_the_library();
  PMPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Allreduce(&passed, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%d calls to the library, %d wrong\n", total, sum);
  free(in);
  MPI_Finalize();
  return sum != 0;
}
