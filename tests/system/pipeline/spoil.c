// Preloaded under a probe: messages of its benchmarks go wrong as SPOIL says.
//   flip    a bit of the first byte that is sent, and one of its seventh
//   lose    nothing is sent in place of a message, so that the receiver keeps
//   what it has repeat  the message of the same size before it is sent again
//   refuse  no message goes wrong, but no process may read another's memory
// The harness's own messages travel on the communicator that it makes first of
// all ranks, and stay right, as do those of the self-test to the rank itself.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static MPI_Comm benchmarks = MPI_COMM_NULL;

int MPI_Comm_dup(MPI_Comm old, MPI_Comm* new) {
  static int made = 0;
  int code = PMPI_Comm_dup(old, new);
  if (old != MPI_COMM_SELF && ++made == 2) benchmarks = *new;
  return code;
}

enum { kSizes = 8 };
static struct {
  int bytes;
  char* data;
} before[kSizes];

static char* previous(const char* data, int bytes) {
  for (int i = 0; i < kSizes; ++i) {
    if (before[i].data != NULL && before[i].bytes != bytes) continue;
    char* found = before[i].data;
    before[i].bytes = bytes;
    before[i].data = malloc(bytes);
    memcpy(before[i].data, data, bytes);
    return found;
  }
  return NULL;
}

// What is to be sent in place of the data; it is never freed, since nobody
// knows when it is sent.
static const void* spoilt(const void* data, int* count, MPI_Datatype type, MPI_Comm comm) {
  const char* how = getenv("SPOIL");
  int size = 0;
  MPI_Aint low, extent;
  PMPI_Type_size(type, &size);
  if (how == NULL || comm != benchmarks || size == 0 || *count == 0) return data;
  PMPI_Type_get_extent(type, &low, &extent);
  int bytes = (int)(low + extent * *count);
  if (!strcmp(how, "lose")) {
    *count = 0;
    return data;
  }
  char* other = NULL;
  if (!strcmp(how, "repeat")) {
    other = previous(data, bytes);
    return other == NULL ? data : other;
  }
  if (strcmp(how, "flip") != 0) return data;
  other = malloc(bytes);
  memcpy(other, data, bytes);
  other[low] ^= 1;
  // The last bit of a double may be lost in rounding, a high one is not.
  if (extent == size && bytes >= 8) other[6] ^= 1;
  return other;
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  data = spoilt(data, &count, type, comm);
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  data = spoilt(data, &count, type, comm);
  return PMPI_Ssend(data, count, type, to, tag, comm);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  data = spoilt(data, &count, type, comm);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  data = spoilt(data, &count, type, comm);
  return PMPI_Sendrecv(data, count, type, to, tag, in, in_count, in_type, from, in_tag, comm,
                       status);
}

// What is put; a single word is a flag, which stays right.
int MPI_Put(const void* data, int count, MPI_Datatype type, int to, MPI_Aint at, int there,
            MPI_Datatype there_type, MPI_Win window) {
  int size = 0;
  PMPI_Type_size(type, &size);
  if (size * count != 8) data = spoilt(data, &count, type, benchmarks);
  if (count == 0) there = 0;
  return PMPI_Put(data, count, type, to, at, there, there_type, window);
}

// One persistent message is enough; what goes wrong with it goes wrong when it
// starts.
static struct {
  MPI_Request request;
  const void* data;
  void* sent;
  int bytes;
} persistent;

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const char* how = getenv("SPOIL");
  PMPI_Type_size(type, &persistent.bytes);
  persistent.bytes *= count;
  persistent.data = data;
  persistent.sent = malloc(persistent.bytes + 1);
  if (how != NULL && !strcmp(how, "lose")) count = 0;
  int code = PMPI_Send_init(persistent.sent, count, type, to, tag, comm, request);
  persistent.request = *request;
  return code;
}

int MPI_Start(MPI_Request* request) {
  if (*request == persistent.request) {
    int count = persistent.bytes;
    memcpy(persistent.sent, spoilt(persistent.data, &count, MPI_BYTE, benchmarks),
           persistent.bytes);
  }
  return PMPI_Start(request);
}

// What a process reads of another's memory; a single word is an address, which
// stays right.
ssize_t process_vm_readv(pid_t process, const struct iovec* here, unsigned long to,
                         const struct iovec* there, unsigned long from, unsigned long flags) {
  const char* how = getenv("SPOIL");
  if (how != NULL && !strcmp(how, "refuse")) {
    errno = EPERM;
    return -1;
  }
  if (here->iov_len == 8) {
    return syscall(SYS_process_vm_readv, process, here, to, there, from, flags);
  }
  struct iovec own = {malloc(here->iov_len), here->iov_len};
  ssize_t got = syscall(SYS_process_vm_readv, process, &own, 1, there, from, flags);
  int count = (int)got;
  if (got > 0) {
    const void* data = spoilt(own.iov_base, &count, MPI_BYTE, benchmarks);
    memcpy(here->iov_base, data, count);
  }
  free(own.iov_base);
  return got;
}
