#include "algorithms/node_mpi/segment_mpi.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <utility>

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::node {
namespace {

// Where the others find the first rank's file, and by what they know that it is this one: in
// another namespace of processes, a number may stand for somebody else's.
struct Place {
  char path[64];
  dev_t device;
  ino_t number;
};

// A file without a name goes with the last process that has it, however that ends. The other ranks
// reach it where they see the first one's descriptors; where they do not, it needs a name for a
// moment, and would stay for good if all were killed in that one.
enum class Kind { kNameless, kNamed };

int create(Kind kind, Place& place) {
  static std::atomic<unsigned> created{0};
  const auto process = static_cast<long>(getpid());
  int file = -1;
  if (kind == Kind::kNameless) {
    file = memfd_create("leadline", MFD_CLOEXEC);
    std::snprintf(place.path, sizeof place.path, "/proc/%ld/fd/%d", process, file);
  } else {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    std::snprintf(place.path, sizeof place.path, "/leadline-%ld-%u-%lx%lx", process,
                  created.fetch_add(1), static_cast<unsigned long>(time.tv_sec),
                  static_cast<unsigned long>(time.tv_nsec));
    file = shm_open(place.path, O_RDWR | O_CREAT | O_EXCL, 0600);
  }
  struct stat status{};
  if (file >= 0 && fstat(file, &status) == 0) {
    place.device = status.st_dev;
    place.number = status.st_ino;
  }
  return file;
}

// Negative where there is no such file.
int open_others(Kind kind, const Place& place) {
  const int file = kind == Kind::kNameless ? open(place.path, O_RDWR | O_CLOEXEC)
                                           : shm_open(place.path, O_RDWR, 0);
  struct stat status{};
  if (file < 0 || (fstat(file, &status) == 0 && status.st_dev == place.device &&
                   status.st_ino == place.number)) {
    return file;
  }
  close(file);
  return -1;
}

// All agree, or none has it.
int agree(bool& succeeded, MPI_Comm node) {
  int mine = succeeded ? 1 : 0;
  int all = 0;
  RETURN_IF_FAILED(PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, node));
  succeeded = all == 1;
  return MPI_SUCCESS;
}

int map(Kind kind, MPI_Comm node, std::size_t bytes_per_rank, Segment& segment) {
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(node, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(node, &size));
  const std::size_t bytes = bytes_per_rank * static_cast<std::size_t>(size);

  Place place{};
  int file = rank == 0 ? create(kind, place) : -1;
  bool succeeded = rank != 0 || (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0);
  // A file that could not be created is not found by the others either.
  RETURN_IF_FAILED(PMPI_Bcast(&place, sizeof place, MPI_BYTE, 0, node));
  if (rank != 0) file = open_others(kind, place);
  // Each rank takes the pages of its own part, on its own memory; without this, a full file system
  // would end the program at the first byte that is written.
  succeeded = succeeded && file >= 0 &&
              posix_fallocate(file, static_cast<off_t>(bytes_per_rank) * rank,
                              static_cast<off_t>(bytes_per_rank)) == 0;
  void* memory = MAP_FAILED;
  if (succeeded) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  }
  succeeded = memory != MAP_FAILED;
  const int code = agree(succeeded, node);
  if (file >= 0) close(file);
  if (rank == 0 && kind == Kind::kNamed) shm_unlink(place.path);
  Segment mapped;
  if (memory != MAP_FAILED) {
    mapped = Segment(static_cast<std::byte*>(memory), bytes_per_rank, size);
  }
  if (code == MPI_SUCCESS && succeeded) segment = std::move(mapped);
  return code;
}

}  // namespace

int map_segment(MPI_Comm node, std::size_t bytes_per_rank, Segment& segment) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes_per_rank = (bytes_per_rank + page - 1) / page * page;
  RETURN_IF_FAILED(map(Kind::kNameless, node, bytes_per_rank, segment));
  return segment.empty() ? map(Kind::kNamed, node, bytes_per_rank, segment) : MPI_SUCCESS;
}

}  // namespace leadline::node
