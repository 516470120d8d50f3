/* Makes the collectives of an MPI wrong, to prove that the benchmarks find it. Preloaded:
 *
 *   LEADLINE_WRONG=nothing    they return at once, and move nothing
 *   LEADLINE_WRONG=last_byte  the last byte of each rank's result is another one
 *   LEADLINE_WRONG=mixed      the blocks of the first and the last rank are exchanged
 *   LEADLINE_WRONG=left_out   what rank 0 adds to a sum is lost
 *
 * Integers, which the harness itself broadcasts, are left alone. It refers to the library's PMPI_
 * functions and is not linked with the library: programs without MPI may have it preloaded, too.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int asked(const char* fault, MPI_Datatype type) {
  const char* const wanted = getenv("LEADLINE_WRONG");
  return wanted != NULL && strcmp(wanted, fault) == 0 && type != MPI_INT;
}

static int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

static int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

static size_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return (size_t)count * (size_t)size;
}

static void spoil(void* data, size_t bytes, MPI_Datatype type) {
  if (asked("last_byte", type) && bytes > 0) ((unsigned char*)data)[bytes - 1] ^= 0xff;
}

/* Of `blocks` blocks, the first one lies at the start and the last one at `last`. */
static void mix(void* data, size_t last, size_t bytes, MPI_Datatype type) {
  if (!asked("mixed", type)) return;
  unsigned char* const first = data;
  for (size_t i = 0; i < bytes; ++i) {
    const unsigned char byte = first[i];
    first[i] = first[last + i];
    first[last + i] = byte;
  }
}

/* What a rank adds, or zeros in its place. */
static const void* summand(const void* in, void* out, size_t bytes, MPI_Datatype type,
                           MPI_Comm comm) {
  if (!asked("left_out", type) || rank_in(comm) != 0) return in;
  if (in == MPI_IN_PLACE) {
    memset(out, 0, bytes);
    return in;
  }
  static const unsigned char zeros[1 << 20];
  if (bytes > sizeof zeros) abort();
  return zeros;
}

#define NOTHING_IF_ASKED(type) \
  if (asked("nothing", type)) return MPI_SUCCESS
#define NO_REQUEST_IF_ASKED(type) \
  if (asked("nothing", type)) {   \
    *request = MPI_REQUEST_NULL;  \
    return MPI_SUCCESS;           \
  }

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  NOTHING_IF_ASKED(type);
  const int code = PMPI_Bcast(data, count, type, root, comm);
  spoil(data, bytes_of(count, type), type);
  return code;
}

int MPI_Gather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
               MPI_Datatype out_type, int root, MPI_Comm comm) {
  NOTHING_IF_ASKED(in_type);
  const int code = PMPI_Gather(in, in_count, in_type, out, out_count, out_type, root, comm);
  if (rank_in(comm) != root) return code;
  const size_t block = bytes_of(out_count, out_type);
  spoil(out, block * (size_t)size_of(comm), out_type);
  mix(out, block * (size_t)(size_of(comm) - 1), block, out_type);
  return code;
}

int MPI_Scatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                MPI_Datatype out_type, int root, MPI_Comm comm) {
  NOTHING_IF_ASKED(out_type);
  const int code = PMPI_Scatter(in, in_count, in_type, out, out_count, out_type, root, comm);
  if (out != MPI_IN_PLACE) spoil(out, bytes_of(out_count, out_type), out_type);
  return code;
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                  MPI_Datatype out_type, MPI_Comm comm) {
  NOTHING_IF_ASKED(out_type);
  const int code = PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm);
  const size_t block = bytes_of(out_count, out_type);
  spoil(out, block * (size_t)size_of(comm), out_type);
  mix(out, block * (size_t)(size_of(comm) - 1), block, out_type);
  return code;
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                 MPI_Datatype out_type, MPI_Comm comm) {
  NOTHING_IF_ASKED(out_type);
  const int code = PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm);
  const size_t block = bytes_of(out_count, out_type);
  spoil(out, block * (size_t)size_of(comm), out_type);
  mix(out, block * (size_t)(size_of(comm) - 1), block, out_type);
  return code;
}

int MPI_Alltoallv(const void* in, const int in_counts[], const int in_offsets[],
                  MPI_Datatype in_type, void* out, const int out_counts[], const int out_offsets[],
                  MPI_Datatype out_type, MPI_Comm comm) {
  NOTHING_IF_ASKED(out_type);
  const int code = PMPI_Alltoallv(in, in_counts, in_offsets, in_type, out, out_counts, out_offsets,
                                  out_type, comm);
  const int last = size_of(comm) - 1;
  const int shorter = out_counts[0] < out_counts[last] ? out_counts[0] : out_counts[last];
  spoil(out, (size_t)(out_offsets[last] + out_counts[last]), out_type);
  mix(out, (size_t)out_offsets[last], (size_t)shorter, out_type);
  return code;
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  NOTHING_IF_ASKED(type);
  const size_t bytes = bytes_of(count, type);
  const int code =
      PMPI_Reduce(summand(in, out, bytes, type, comm), out, count, type, op, root, comm);
  if (rank_in(comm) == root) spoil(out, bytes, type);
  return code;
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  NOTHING_IF_ASKED(type);
  const size_t bytes = bytes_of(count, type);
  const int code = PMPI_Allreduce(summand(in, out, bytes, type, comm), out, count, type, op, comm);
  spoil(out, bytes, type);
  return code;
}

int MPI_Reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  NOTHING_IF_ASKED(type);
  const size_t bytes = bytes_of(count, type);
  const void* const own = summand(in, out, bytes * (size_t)size_of(comm), type, comm);
  const int code = PMPI_Reduce_scatter_block(own, out, count, type, op, comm);
  spoil(out, bytes, type);
  return code;
}

int MPI_Reduce_scatter(const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  NOTHING_IF_ASKED(type);
  int elements = 0;
  for (int i = 0; i < size_of(comm); ++i) elements += counts[i];
  const void* const own = summand(in, out, bytes_of(elements, type), type, comm);
  const int code = PMPI_Reduce_scatter(own, out, counts, type, op, comm);
  spoil(out, bytes_of(counts[rank_in(comm)], type), type);
  return code;
}

int MPI_Scan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  NOTHING_IF_ASKED(type);
  const size_t bytes = bytes_of(count, type);
  const int code = PMPI_Scan(summand(in, out, bytes, type, comm), out, count, type, op, comm);
  spoil(out, bytes, type);
  return code;
}

int MPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  NOTHING_IF_ASKED(type);
  const size_t bytes = bytes_of(count, type);
  const int code = PMPI_Exscan(summand(in, out, bytes, type, comm), out, count, type, op, comm);
  if (rank_in(comm) > 0) spoil(out, bytes, type);
  return code;
}

int MPI_Reduce_local(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op) {
  NOTHING_IF_ASKED(type);
  const int code = PMPI_Reduce_local(in, out, count, type, op);
  spoil(out, bytes_of(count, type), type);
  return code;
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  NO_REQUEST_IF_ASKED(type);
  return PMPI_Ibcast(data, count, type, root, comm, request);
}

int MPI_Ireduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request* request) {
  NO_REQUEST_IF_ASKED(type);
  const void* const own = summand(in, out, bytes_of(count, type), type, comm);
  return PMPI_Ireduce(own, out, count, type, op, root, comm, request);
}

int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  NO_REQUEST_IF_ASKED(type);
  const void* const own = summand(in, out, bytes_of(count, type), type, comm);
  return PMPI_Iallreduce(own, out, count, type, op, comm, request);
}

int MPI_Iallgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                   MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
  NO_REQUEST_IF_ASKED(out_type);
  return PMPI_Iallgather(in, in_count, in_type, out, out_count, out_type, comm, request);
}

int MPI_Ialltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                  MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
  NO_REQUEST_IF_ASKED(out_type);
  return PMPI_Ialltoall(in, in_count, in_type, out, out_count, out_type, comm, request);
}
