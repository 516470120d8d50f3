#include "algorithms/shared/segment_mpi.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <utility>

#include "algorithms/algorithm.hpp"

namespace leadline {
namespace {

using Name = char[64];

int create(Name& name) {
  static std::atomic<unsigned> created{0};
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  std::snprintf(name, sizeof name, "/leadline-%ld-%u-%lx%lx", static_cast<long>(getpid()),
                created.fetch_add(1), static_cast<unsigned long>(time.tv_sec),
                static_cast<unsigned long>(time.tv_nsec));
  return shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
}

// All agree, or none has it.
int agree(bool& succeeded, MPI_Comm node) {
  int mine = succeeded ? 1 : 0;
  int all = 0;
  RETURN_IF_FAILED(PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, node));
  succeeded = all == 1;
  return MPI_SUCCESS;
}

}  // namespace

int map_segment(MPI_Comm node, std::size_t bytes_per_rank, Segment& segment) {
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(node, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(node, &size));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes_per_rank = (bytes_per_rank + page - 1) / page * page;
  const std::size_t bytes = bytes_per_rank * static_cast<std::size_t>(size);

  Name name{};
  int file = rank == 0 ? create(name) : -1;
  bool succeeded = rank != 0 || (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0);
  // A name that could not be created is not found by the others either.
  RETURN_IF_FAILED(PMPI_Bcast(name, sizeof name, MPI_CHAR, 0, node));
  if (rank != 0) file = shm_open(name, O_RDWR, 0);
  // Each rank takes the pages of its own part, on its own memory; without this, a full file system
  // would end the program at the first byte that is written.
  succeeded = succeeded && file >= 0 &&
              posix_fallocate(file, static_cast<off_t>(bytes_per_rank) * rank,
                              static_cast<off_t>(bytes_per_rank)) == 0;
  void* memory = MAP_FAILED;
  if (succeeded) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  }
  if (file >= 0) close(file);
  succeeded = memory != MAP_FAILED;
  const int code = agree(succeeded, node);
  if (rank == 0) shm_unlink(name);
  Segment mapped;
  if (memory != MAP_FAILED) {
    mapped = Segment(static_cast<std::byte*>(memory), bytes_per_rank, size);
  }
  if (code == MPI_SUCCESS && succeeded) segment = std::move(mapped);
  return code;
}

}  // namespace leadline
