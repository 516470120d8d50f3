/* Messages of datatypes with gaps, between two ranks: sent and received by MPI_X, which leadline
   may pack, and by PMPI_X, which it does not, in all combinations. What arrives, what lies in the
   gaps, and what statuses say must be as between PMPI_X and PMPI_X. Knows nothing of leadline.

   gaps messages|exchanges|faults|lives|learning */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRoom = 1 << 20, kOrigin = kRoom / 2, kTypes = 20 };

typedef int Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int Receive(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
static Send* const kSends[] = {PMPI_Send, MPI_Send, MPI_Ssend, MPI_Rsend};
static Receive* const kReceives[] = {PMPI_Recv, MPI_Recv};

static char *out, *truth, *result;
static int rank, wrong;
static MPI_Datatype types[kTypes];

static void check(int right, const char* what, int a, int b) {
  if (right) return;
  if (++wrong < 20) fprintf(stderr, "rank %d: %s (%d, %d)\n", rank, what, a, b);
}

static void make_types(void) {
  int n = 0;
  const int lengths[] = {1, 3, 2, 1}, places[] = {0, 4, 9, 14}, down[] = {9, 3, 20, 0};
  const MPI_Aint bytes[] = {0, 24, 80, 200}, apart[] = {5, 40, 77, 133};
  const int sizes[] = {6, 5, 7}, parts[] = {6, 1, 3}, starts[] = {0, 2, 4};
  MPI_Datatype inner, wider;
  MPI_Type_vector(10, 1, 4, MPI_DOUBLE, &types[n++]);
  MPI_Type_vector(5, 3, 7, MPI_FLOAT, &types[n++]);
  MPI_Type_vector(6, 2, -5, MPI_INT, &types[n++]);
  MPI_Type_create_hvector(7, 3, 11, MPI_CHAR, &types[n++]);
  MPI_Type_indexed(4, lengths, places, MPI_DOUBLE, &types[n++]);
  MPI_Type_create_hindexed(4, lengths, apart, MPI_SHORT, &types[n++]);
  MPI_Type_create_indexed_block(4, 2, down, MPI_C_DOUBLE_COMPLEX, &types[n++]);
  MPI_Type_create_hindexed_block(4, 1, bytes, MPI_LONG, &types[n++]);
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &types[n++]);
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &types[n++]);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 56, &types[n++]);
  MPI_Type_create_resized(MPI_INT, -8, 12, &types[n++]);
  MPI_Type_vector(4, 1, 3, MPI_FLOAT, &inner);
  MPI_Type_contiguous(3, inner, &types[n++]);
  MPI_Type_dup(inner, &types[n++]);
  MPI_Type_create_hvector(3, 2, 100, inner, &types[n++]);
  MPI_Type_create_resized(inner, -4, 64, &wider);
  MPI_Type_indexed(3, lengths, down, wider, &types[n++]);
  const MPI_Datatype same[] = {inner, MPI_FLOAT, inner};
  const int one[] = {2, 3, 1};
  MPI_Type_create_struct(3, one, bytes, same, &types[n++]);
  /* The library's: elements of two types, no data, no gaps. */
  const MPI_Datatype mixed[] = {MPI_INT, MPI_DOUBLE};
  const MPI_Aint at[] = {0, 8};
  MPI_Type_create_struct(2, one, at, mixed, &types[n++]);
  MPI_Type_vector(0, 1, 2, MPI_INT, &types[n++]);
  MPI_Type_contiguous(12, MPI_INT, &types[n++]);
  if (n != kTypes) abort();
  for (int i = 0; i < n; ++i) MPI_Type_commit(&types[i]);
  /* Their contents live on. */
  MPI_Type_free(&inner);
  MPI_Type_free(&wider);
}

static void fill(char* data, int seed) {
  for (int i = 0; i < kRoom; ++i) data[i] = (char)(i * 7 + (i >> 8) + seed);
}

static void compare_statuses(MPI_Status* mine, MPI_Status* right, int type, int how) {
  int a = 0, b = 0;
  check(mine->MPI_SOURCE == right->MPI_SOURCE && mine->MPI_TAG == right->MPI_TAG, "envelope", type,
        how);
  check(mine->MPI_ERROR == 77, "MPI_ERROR was touched", type, how);
  MPI_Get_count(mine, types[type], &a);
  MPI_Get_count(right, types[type], &b);
  check(a == b, "count", type, how);
  MPI_Get_elements(mine, types[type], &a);
  MPI_Get_elements(right, types[type], &b);
  check(a == b, "elements", type, how);
}

/* `sent` elements to a receive of `wanted`, from rank `from` to the other one. */
static void pass(int type, int sent, int wanted, int from) {
  for (int sender = 0; sender < 4; ++sender) {
    for (int receiver = 0; receiver < 2; ++receiver) {
      const int how = sender * 2 + receiver;
      if (rank == from) {
        fill(out, type + sent);
        MPI_Recv(NULL, 0, MPI_INT, 1 - from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        PMPI_Send(out + kOrigin, sent, types[type], 1 - from, 5, MPI_COMM_WORLD);
        kSends[sender](out + kOrigin, sent, types[type], 1 - from, 6, MPI_COMM_WORLD);
        continue;
      }
      MPI_Status right, mine;
      right.MPI_ERROR = mine.MPI_ERROR = 77;
      fill(truth, 200);
      fill(result, 200);
      /* A ready send finds its receive: it is waited for within MPI_Recv of the other tag. */
      MPI_Request posted = MPI_REQUEST_NULL;
      if (sender == 3) {
        MPI_Irecv(result + kOrigin, wanted, types[type], from, 6, MPI_COMM_WORLD, &posted);
      }
      MPI_Send(NULL, 0, MPI_INT, from, 9, MPI_COMM_WORLD);
      PMPI_Recv(truth + kOrigin, wanted, types[type], from, 5, MPI_COMM_WORLD, &right);
      right.MPI_TAG = 6;
      const int any = how % 3 == 0;
      if (posted != MPI_REQUEST_NULL) {
        MPI_Wait(&posted, &mine);
        mine.MPI_ERROR = 77;
      } else if (any) {
        kReceives[receiver](result + kOrigin, wanted, types[type], MPI_ANY_SOURCE, MPI_ANY_TAG,
                            MPI_COMM_WORLD, &mine);
      } else {
        kReceives[receiver](result + kOrigin, wanted, types[type], from, 6, MPI_COMM_WORLD, &mine);
      }
      compare_statuses(&mine, &right, type, how);
      check(memcmp(truth, result, kRoom) == 0, "data", type, how);
    }
  }
}

static void messages(void) {
  const int counts[] = {0, 1, 2, 3, 17, 150};
  for (int type = 0; type < kTypes; ++type) {
    for (int i = 0; i < 6; ++i) {
      pass(type, counts[i], counts[i], i % 2);
      pass(type, counts[i], counts[i] + 5, i % 2);
    }
  }
  /* Elements that end within the datatype. */
  double values[64], spread[256], right[256];
  for (int elements = 0; elements < 30; ++elements) {
    for (int i = 0; i < 64; ++i) values[i] = i + elements;
    if (rank == 0) {
      MPI_Send(values, elements, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
      MPI_Send(values, elements, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
      continue;
    }
    MPI_Status mine, status;
    for (int i = 0; i < 256; ++i) spread[i] = right[i] = -i;
    mine.MPI_ERROR = 77;
    MPI_Recv(spread, 3, types[0], 0, 3, MPI_COMM_WORLD, &mine);
    PMPI_Recv(right, 3, types[0], 0, 3, MPI_COMM_WORLD, &status);
    compare_statuses(&mine, &status, 0, elements);
    check(memcmp(spread, right, sizeof right) == 0, "part of an element", 0, elements);
  }
  /* Addresses, from MPI_BOTTOM on. */
  static double here[40], there[40];
  MPI_Aint base;
  MPI_Get_address(here, &base);
  const MPI_Aint at[] = {base, base + 64, base + 200};
  MPI_Datatype all;
  MPI_Type_create_hindexed_block(3, 2, at, MPI_DOUBLE, &all);
  MPI_Type_commit(&all);
  for (int i = 0; i < 40; ++i) here[i] = rank ? -1 : i, there[i] = -1;
  for (int i = 0; i < 2; ++i) {
    if (rank == 0) MPI_Send(MPI_BOTTOM, 1, all, 1, 4, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(MPI_BOTTOM, 1, all, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 3; ++i) {
    const int first = (int)(at[i] - base) / 8;
    there[first] = first;
    there[first + 1] = first + 1;
  }
  if (rank == 1) check(memcmp(here, there, sizeof here) == 0, "addresses", 0, 0);
  MPI_Type_free(&all);
  /* To nobody. */
  MPI_Status none;
  int count = -1;
  MPI_Send(out, 3, types[0], MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(out, 3, types[0], MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none);
  MPI_Get_count(&none, types[0], &count);
  check(none.MPI_SOURCE == MPI_PROC_NULL && count == 0, "nobody", count, none.MPI_SOURCE);
}

static void exchanges(void) {
  for (int self = 0; self < 2; ++self) {
    const int peer = self ? rank : 1 - rank;
    for (int type = 0; type < kTypes; ++type) {
      for (int count = 0; count < 40; count += 13) {
        MPI_Status mine, right;
        mine.MPI_ERROR = right.MPI_ERROR = 77;
        fill(out, rank + count);
        fill(truth, 100);
        fill(result, 100);
        PMPI_Sendrecv(out + kOrigin, count, types[type], peer, 8, truth + kOrigin, count + 2,
                      types[type], peer, 8, MPI_COMM_WORLD, &right);
        MPI_Sendrecv(out + kOrigin, count, types[type], peer, 8, result + kOrigin, count + 2,
                     types[type], count % 2 ? MPI_ANY_SOURCE : peer, 8, MPI_COMM_WORLD, &mine);
        compare_statuses(&mine, &right, type, count);
        check(memcmp(truth, result, kRoom) == 0, "exchange", type, count);
        MPI_Sendrecv(out + kOrigin, count, types[type], MPI_PROC_NULL, 8, result + kOrigin, count,
                     types[type], MPI_PROC_NULL, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(memcmp(truth, result, kRoom) == 0, "nobody's exchange", type, count);
      }
    }
  }
}

static int handled;
static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++handled;
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

/* A message that is too long is the error that it is without leadline, told once, and what lies
   before the data stays as it is. A library may have been built without checks. */
static void faults(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  for (int returns = 0; returns < 2; ++returns) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, returns ? MPI_ERRORS_RETURN : handler);
    int checks = 1;
    for (int type = 0; type < 3; ++type) {
      if (rank == 0) {
        MPI_Send(out + kOrigin, 4, types[type], 1, 2, MPI_COMM_WORLD);
        MPI_Send(out + kOrigin, 4, types[type], 1, 2, MPI_COMM_WORLD);
        continue;
      }
      fill(result, 1);
      fill(truth, 1);
      const int before = handled;
      const int right = class_of(
          PMPI_Recv(truth + kOrigin, 3, types[type], 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      const int told = handled - before;
      const int mine = class_of(
          MPI_Recv(result + kOrigin, 3, types[type], 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      check(mine == right, "truncation", mine, right);
      check(handled == before + 2 * told, "handler", handled - before, told);
      check(memcmp(result, truth, kOrigin - 1024) == 0, "data before it", type, returns);
      checks = checks && right == MPI_ERR_TRUNCATE;
    }
    MPI_Bcast(&checks, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (!checks) continue;
    check(MPI_Send(out, -1, types[0], 1 - rank, 0, MPI_COMM_WORLD) != MPI_SUCCESS, "count", 0, 0);
    check(MPI_Send(out, 1, types[0], 7, 0, MPI_COMM_WORLD) != MPI_SUCCESS, "rank", 0, 0);
  }
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Handles that stand for one datatype after the other. */
static void lives(void) {
  double values[400], spread[400];
  for (int round = 0; round < 300; ++round) {
    MPI_Datatype type;
    const int stride = 2 + round % 7;
    MPI_Type_vector(20, 1, stride, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    for (int use = 0; use < 1 + round % 9; ++use) {
      for (int i = 0; i < 400; ++i) values[i] = i + round, spread[i] = -1;
      if (rank == 0) MPI_Send(values, 1, type, 1, 1, MPI_COMM_WORLD);
      if (rank == 0) continue;
      MPI_Recv(spread, 1, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < 400; ++i) {
        const int mine = i % stride == 0 && i / stride < 20;
        check(spread[i] == (mine ? i + round : -1), "life", round, i);
      }
    }
    MPI_Type_free(&type);
  }
}

/* Long enough for everything to be decided. */
static void learning(void) {
  for (int i = 0; i < 400; ++i) {
    const int type = i % 10;
    fill(out, i);
    fill(result, 9);
    fill(truth, 9);
    if (rank == 0) {
      PMPI_Send(out + kOrigin, 200, types[type], 1, 1, MPI_COMM_WORLD);
      MPI_Send(out + kOrigin, 200, types[type], 1, 2, MPI_COMM_WORLD);
    } else {
      PMPI_Recv(truth + kOrigin, 200, types[type], 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(result + kOrigin, 200, types[type], 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      check(memcmp(truth, result, kRoom) == 0, "while it is learnt", type, i);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  out = malloc(kRoom);
  truth = malloc(kRoom);
  result = malloc(kRoom);
  make_types();
  const char* scenario = argc > 1 ? argv[1] : "";
  if (strcmp(scenario, "messages") == 0) messages();
  if (strcmp(scenario, "exchanges") == 0) exchanges();
  if (strcmp(scenario, "faults") == 0) faults();
  if (strcmp(scenario, "lives") == 0) lives();
  if (strcmp(scenario, "learning") == 0) learning();
  for (int i = 0; i < kTypes; ++i) MPI_Type_free(&types[i]);
  int sum = 0;
  MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", sum);
  free(out);
  free(truth);
  free(result);
  MPI_Finalize();
  return sum != 0;
}
