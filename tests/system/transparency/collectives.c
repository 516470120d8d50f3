/* Every collective that leadline replaces, with every type and operation, in place and not, with
   random counts and roots: MPI_X must give what PMPI_X gives, and go to the library only where it
   has to. */
#include "compared.h"

enum { kMostBytes = 576 << 10, kMostRanks = 9 };

typedef struct {
  MPI_Datatype type;
  int bytes;
  char sort; /* i: integer, f: floating, c: complex, l: logical, b: byte, p: pair, d: derived */
} Type;

static const MPI_Op kOperations[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,   MPI_LOR,
                                     MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};

static int is_defined(char sort, int op) {
  if (op < 2) return strchr("ifc", sort) != NULL;
  if (op < 4) return strchr("if", sort) != NULL;
  if (op < 7) return strchr("il", sort) != NULL;
  if (op < 10) return strchr("ib", sort) != NULL;
  return sort == 'p';
}

#define FILL(Number, step)                                         \
  for (int i = 0; i < kMostBytes / (int)sizeof(Number); i += step) \
  ((Number*)in)[i] = (Number)((rank * 7 + i * 3 + trial) % 3)

/* Small whole numbers where they round: all orders of operands give the same. */
static void fill(const Type* type, int trial) {
  memset(in, 0, kMostBytes);
  if (type->type == MPI_DOUBLE) {
    FILL(double, 1);
  } else if (type->type == MPI_FLOAT) {
    FILL(float, 1);
  } else if (type->type == MPI_LONG_DOUBLE) {
    FILL(long double, 1);
  } else if (type->type == MPI_C_FLOAT_COMPLEX) {
    FILL(float, 2);
  } else if (type->type == MPI_C_DOUBLE_COMPLEX) {
    FILL(double, 2);
  } else if (type->sort == 'l') {
    for (int i = 0; i < kMostBytes; ++i) in[i] = (char)((rank + i + trial) % 2);
  } else {
    for (int i = 0; i < kMostBytes; ++i) in[i] = (char)(rank * 37 + i * 11 + trial);
    /* Open MPI 4.1.4 takes the greatest of these as if they had signs. */
    for (int i = 7; type->type == MPI_UNSIGNED_LONG && i < kMostBytes; i += 8) in[i] &= 0x7f;
  }
}

/* x -> a x + b, composed: associative, not commutative. */
static void compose(void* left, void* right, int* count, MPI_Datatype* type) {
  unsigned *a = left, *b = right;
  (void)type;
  for (int i = 0; i < *count; ++i) {
    b[2 * i + 1] += b[2 * i] * a[2 * i + 1];
    b[2 * i] *= a[2 * i];
  }
}

typedef struct {
  int collective, count, root, in_place, op;
  const Type* type;
  MPI_Op operation;
} Call;

enum {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kScan,
  kExscan,
  kScatterBlock,
  kReduceScatter,
  kAllgather,
  kAlltoall,
  kGather,
  kScatter,
  kAllgatherv,
  kGatherv,
  kScatterv,
  kAlltoallv,
  kCollectives
};
enum { kLastThatReduces = kReduceScatter };

static void complain(const char* what, const Call* c) {
  static const char* const kNames[] = {"Barrier",    "Bcast",    "Reduce",       "Allreduce",
                                       "Scan",       "Exscan",   "ScatterBlock", "ReduceScatter",
                                       "Allgather",  "Alltoall", "Gather",       "Scatter",
                                       "Allgatherv", "Gatherv",  "Scatterv",     "Alltoallv"};
  if (wrong++ >= 5) return;
  fprintf(stderr, "rank %d of %d, %s of %d elements %c of %d bytes, operation %d, root %d%s: %s\n",
          rank, size, kNames[c->collective], c->count, c->type->sort, c->type->bytes, c->op,
          c->root, c->in_place ? ", in place" : "", what);
}

/* Blocks of `count` elements and of more or less, as many in all as there are ranks. */
static const int* counts_of(const Call* c) {
  static int counts[kMostRanks];
  for (int i = 0; i < size; ++i) counts[i] = c->count;
  const int moved = size > 1 ? c->count / (c->root + 2) : 0;
  counts[0] -= moved;
  counts[size - 1] += moved;
  return counts;
}

#define CALL(prefix, out)                                                                          \
  switch (c->collective) {                                                                         \
    case kBarrier:                                                                                 \
      return prefix##MPI_Barrier(comm);                                                            \
    case kBcast:                                                                                   \
      return prefix##MPI_Bcast(out, count, type, c->root, comm);                                   \
    case kReduce:                                                                                  \
      return prefix##MPI_Reduce(c->in_place && rank == c->root ? MPI_IN_PLACE : in, out, count,    \
                                type, c->operation, c->root, comm);                                \
    case kAllreduce:                                                                               \
      return prefix##MPI_Allreduce(from, out, count, type, c->operation, comm);                    \
    case kScan:                                                                                    \
      return prefix##MPI_Scan(from, out, count, type, c->operation, comm);                         \
    case kExscan:                                                                                  \
      return prefix##MPI_Exscan(from, out, count, type, c->operation, comm);                       \
    case kReduceScatter:                                                                           \
      return prefix##MPI_Reduce_scatter(from, out, counts_of(c), type, c->operation, comm);        \
    case kScatterBlock:                                                                            \
      return prefix##MPI_Reduce_scatter_block(from, out, count, type, c->operation, comm);         \
    case kAllgather:                                                                               \
      return prefix##MPI_Allgather(from, count, type, out, count, type, comm);                     \
    case kAlltoall:                                                                                \
      return prefix##MPI_Alltoall(from, count, type, out, count, type, comm);                      \
    case kGather:                                                                                  \
      return prefix##MPI_Gather(c->in_place && rank == c->root ? MPI_IN_PLACE : in, count, type,   \
                                out, count, type, c->root, comm);                                  \
    case kScatter:                                                                                 \
      return prefix##MPI_Scatter(in, count, type,                                                  \
                                 c->in_place && rank == c->root ? MPI_IN_PLACE : out, count, type, \
                                 c->root, comm);                                                   \
    case kAllgatherv:                                                                              \
      return prefix##MPI_Allgatherv(from, counts[rank], type, out, counts, offsets, type, comm);   \
    case kGatherv:                                                                                 \
      return prefix##MPI_Gatherv(c->in_place && rank == c->root ? MPI_IN_PLACE : in, counts[rank], \
                                 type, out, counts, offsets, type, c->root, comm);                 \
    case kAlltoallv:                                                                               \
      return prefix##MPI_Alltoallv(from, pairs, offsets, type, out, pairs, offsets, type, comm);   \
    default:                                                                                       \
      return prefix##MPI_Scatterv(in, counts, offsets, type,                                       \
                                  c->in_place && rank == c->root ? MPI_IN_PLACE : out,             \
                                  counts[rank], type, c->root, comm);                              \
  }

/* Blocks of the v forms, from none on: the last rank's lies first. */
static int counts[kMostRanks], offsets[kMostRanks];
/* The same between this rank and each: of one length both ways, which MPI_IN_PLACE asks for. */
static int pairs[kMostRanks];

static int lay_out(int count) {
  int any = 0;
  for (int i = 0; i < size; ++i) {
    counts[i] = (i + count) % 3 == 0 ? 0 : count * (i + 1) / size;
    offsets[i] = (size - 1 - i) * count;
    pairs[i] = (i + rank + count) % 3 == 0 ? 0 : count * (i + rank + 1) / (2 * size);
    any = any || counts[i] > 0;
  }
  return any;
}

static int call_library(const Call* c, MPI_Datatype type, int count, MPI_Comm comm) {
  void* from = c->in_place ? MPI_IN_PLACE : in;
  CALL(P, truth)
}
static int call(const Call* c, MPI_Datatype type, int count, MPI_Comm comm) {
  void* from = c->in_place ? MPI_IN_PLACE : in;
  CALL(, result)
}

/* Six bytes of x86's long double are no part of the number. */
static void forget_padding(char* data) {
  for (int i = 0; i < kMostBytes; i += 16) memset(data + i + 10, 0, 6);
}

static void compare(const Call* c, MPI_Comm comm) {
  /* The same data as other elements on every other rank. */
  MPI_Datatype type = c->type->type, other = MPI_DATATYPE_NULL;
  int count = c->count;
  const int moves = c->collective == kBcast || c->collective > kLastThatReduces;
  const int even = c->collective < kAllgatherv;
  const int any = lay_out(count);
  if (moves && even && rank % 2 == 1 && count % 3 == 0 && c->type->sort == 'i') {
    MPI_Type_contiguous(3, type, &other);
    MPI_Type_commit(&other);
    type = other;
    count /= 3;
  }
  memcpy(truth, in, kMostBytes);
  memcpy(result, in, kMostBytes);
  const int before = calls_of_the_library();
  const int code = call(c, type, count, comm);
  const int passed = calls_of_the_library() - before;
  if (code != call_library(c, type, count, comm)) complain("other return code", c);
  if (c->type->type == MPI_LONG_DOUBLE) {
    forget_padding(truth);
    forget_padding(result);
  }
  /* Where the result has only the first block of a buffer, the rest of it may be anything. */
  size_t bytes = kMostBytes;
  if (c->collective == kScatterBlock) bytes = (size_t)(c->count * c->type->bytes);
  if (c->collective == kReduceScatter) bytes = (size_t)(counts_of(c)[rank] * c->type->bytes);
  const int significant =
      (c->collective != kReduce || rank == c->root) && (c->collective != kExscan || rank > 0);
  if (significant && memcmp(truth, result, bytes) != 0) complain("other result", c);
  int passes = !replaced || size == 1 ||
               (c->collective != kBarrier && c->collective < kGatherv && count == 0);
  /* Blocks of different lengths with an operation of the program's. */
  if (c->collective == kReduceScatter && c->op < 0) {
    passes = passes || counts_of(c)[0] != counts_of(c)[size - 1];
  }
  if (c->collective == kAllgatherv) passes = passes || !any;
  if (passed != passes && !some_replaced) complain(passed ? "not replaced" : "replaced", c);
  if (other != MPI_DATATYPE_NULL) MPI_Type_free(&other);
}

static void try_all(MPI_Comm comm, int trials, const Type* types, int number, MPI_Op user_op) {
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int elements = kMostBytes / kMostRanks / 32;
  for (int trial = 0; trial < trials; ++trial) {
    Call c = {.collective = draw(kCollectives), .root = draw(size), .in_place = draw(2)};
    c.type = &types[draw(number)];
    const int most = draw(3) == 0 ? elements : draw(3) == 0 ? 300 : 12;
    c.count = draw(most);
    if (c.collective >= kReduce && c.collective <= kLastThatReduces) {
      c.op = draw(12);
      while (!is_defined(c.type->sort, c.op) && c.type->sort != 'd') c.op = draw(12);
      c.operation = kOperations[c.op];
      if (draw(8) == 0 || c.type->sort == 'd') {
        c.op = -1;
        c.operation = user_op;
        c.type = &types[number];
      }
    }
    fill(c.type, trial);
    compare(&c, comm);
  }
}

int main(int argc, char** argv) {
  begin(argc, argv, kMostBytes);
  MPI_Datatype gaps, pair;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
  MPI_Type_commit(&gaps);
  MPI_Type_commit(&pair);
  const Type types[] = {{MPI_INT, 4, 'i'},
                        {MPI_LONG, 8, 'i'},
                        {MPI_SHORT, 2, 'i'},
                        {MPI_UNSIGNED_SHORT, 2, 'i'},
                        {MPI_UNSIGNED, 4, 'i'},
                        {MPI_UNSIGNED_LONG, 8, 'i'},
                        {MPI_LONG_LONG, 8, 'i'},
                        {MPI_SIGNED_CHAR, 1, 'i'},
                        {MPI_UNSIGNED_CHAR, 1, 'i'},
                        {MPI_INT8_T, 1, 'i'},
                        {MPI_INT16_T, 2, 'i'},
                        {MPI_INT32_T, 4, 'i'},
                        {MPI_INT64_T, 8, 'i'},
                        {MPI_UINT8_T, 1, 'i'},
                        {MPI_UINT16_T, 2, 'i'},
                        {MPI_UINT32_T, 4, 'i'},
                        {MPI_UINT64_T, 8, 'i'},
                        {MPI_FLOAT, 4, 'f'},
                        {MPI_DOUBLE, 8, 'f'},
                        {MPI_LONG_DOUBLE, 16, 'f'},
                        {MPI_C_FLOAT_COMPLEX, 8, 'c'},
                        {MPI_C_DOUBLE_COMPLEX, 16, 'c'},
                        {MPI_C_BOOL, 1, 'l'},
                        {MPI_BYTE, 1, 'b'},
                        {MPI_2INT, 8, 'p'},
                        {gaps, 12, 'd'},
                        {pair, 8, 'd'}};
  const int number = (int)(sizeof types / sizeof types[0]) - 1;
  MPI_Op user_op;
  MPI_Op_create(compose, 0, &user_op);

  MPI_Comm backwards, half;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int i = 0; i < 10; ++i) { /* until leadline has adopted them */
    MPI_Barrier(backwards);
    MPI_Barrier(half);
  }
  try_all(MPI_COMM_WORLD, trials, types, number, user_op);
  try_all(backwards, trials, types, number, user_op);
  unsigned together = random_state;
  random_state += (unsigned)rank % 2;
  try_all(half, trials / 2, types, number, user_op);
  random_state = together;
  try_all(MPI_COMM_SELF, 20, types, number, user_op);

  MPI_Comm_free(&backwards);
  MPI_Comm_free(&half);
  MPI_Op_free(&user_op);
  MPI_Type_free(&gaps);
  MPI_Type_free(&pair);
  return end();
}
