/* A ping-pong of doubles with gaps between them, by derived datatypes, as a program that knows
 * nothing of leadline does.
 *
 *     datatypes LARGEST_BYTES LAYOUT...
 *
 * LAYOUT is `vector_BLOCK` (blocks of so many bytes, twice as far apart) or `indexed_BLOCK` (the
 * same at uneven distances). Of each and of each size of a message, powers of four from 64 bytes
 * and eight blocks on, it prints `LAYOUT BYTES SECONDS`: median over batches of half the time of a
 * round trip. What arrives is checked, gaps as well, with other values each batch. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 9, LEAST = 64, LEAST_BLOCKS = 8 };

static int rank;

static MPI_Datatype make_type(const char* layout, long blocks, int words) {
  MPI_Datatype type;
  if (strncmp(layout, "vector_", 7) == 0) {
    MPI_Type_vector((int)blocks, words, 2 * words, MPI_DOUBLE, &type);
  } else {
    int* const places = malloc((size_t)blocks * sizeof *places);
    for (long i = 0; i < blocks; ++i)
      places[i] = (int)(2 * i * words + (i % 3 == 1 ? words / 2 : 0));
    for (long i = 0; i < blocks && words == 1; ++i) places[i] = (int)(2 * i + i % 3 % 2);
    MPI_Type_create_indexed_block((int)blocks, words, places, MPI_DOUBLE, &type);
    free(places);
  }
  MPI_Type_commit(&type);
  return type;
}

static void pass(double* data, MPI_Datatype type) {
  if (rank == 0) {
    MPI_Send(data, 1, type, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(data, 1, type, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(data, 1, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, type, 0, 1, MPI_COMM_WORLD);
  }
}

static int ascending(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

/* Rank 1 must have rank 0's values where the datatype has data, and its own elsewhere. */
static void check(const double* data, const char* has_data, long room, int seed) {
  for (long i = 0; rank == 1 && i < room; ++i) {
    if (data[i] == (has_data[i] ? (double)(i + seed) : -1.0)) continue;
    fprintf(stderr, "element %ld is %g\n", i, data[i]);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static void measure(const char* layout, int block, long bytes) {
  const int words = block / (int)sizeof(double);
  const long blocks = bytes / block;
  const long room = 2 * blocks * words + words;
  MPI_Datatype type = make_type(layout, blocks, words);
  double* const data = malloc((size_t)room * sizeof *data);
  char* const has_data = calloc((size_t)room, 1);
  double* const ones = malloc((size_t)bytes);
  double* const marks = calloc((size_t)room, sizeof *marks);
  int at = 0;
  for (long i = 0; i < blocks * words; ++i) ones[i] = 1;
  MPI_Unpack(ones, (int)bytes, &at, marks, 1, type, MPI_COMM_SELF);
  for (long i = 0; i < room; ++i) has_data[i] = marks[i] == 1;
  double times[BATCHES];
  const int calls = bytes <= 4096 ? 2000 : bytes <= 65536 ? 400 : 60;
  for (int batch = -1; batch < BATCHES; ++batch) {
    for (long i = 0; i < room; ++i) data[i] = rank == 0 ? (double)(i + batch) : -1.0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int call = 0; call < calls; ++call) pass(data, type);
    const double end = MPI_Wtime();
    if (batch >= 0) times[batch] = (end - begin) / calls / 2;
    check(data, has_data, room, batch);
  }
  qsort(times, BATCHES, sizeof *times, ascending);
  if (rank == 0) printf("%s %ld %.4e\n", layout, bytes, times[BATCHES / 2]);
  MPI_Type_free(&type);
  free(marks);
  free(ones);
  free(has_data);
  free(data);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long largest = count > 1 ? atol(words[1]) : 1 << 20;
  for (int word = 2; word < count; ++word) {
    const char* const number = strchr(words[word], '_');
    const int block = number != NULL ? atoi(number + 1) : 0;
    if (block < (int)sizeof(double) || block % (int)sizeof(double) != 0)
      MPI_Abort(MPI_COMM_WORLD, 2);
    for (long bytes = LEAST; bytes <= largest; bytes *= 4) {
      if (bytes >= (long)LEAST_BLOCKS * block) measure(words[word], block, bytes);
    }
  }
  return MPI_Finalize();
}
