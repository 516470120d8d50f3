#include "algorithms/node_mpi/segment_mpi.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node/file_size_limit.hpp"
#include "algorithms/node_mpi/handing_over.hpp"

namespace leadline::node {
namespace {

// Where the others find the first rank's file, and by what they know that it is this one: in
// another namespace of processes, a number may stand for somebody else's.
struct Place {
  char path[64];
  SocketName socket;
  dev_t device;
  ino_t number;
};

// A file without a name goes with the last process that has it, however that ends. The other ranks
// open it where they see the first one's descriptors; where they do not, it is handed to them.
enum class Kind { kOpened, kHandedOver };

Descriptor create(Place& place) {
  Descriptor file(memfd_create("leadline", MFD_CLOEXEC));
  if (!file.open()) {
    file = Descriptor(open("/dev/shm", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600));
  }
  std::snprintf(place.path, sizeof place.path, "/proc/%ld/fd/%d", static_cast<long>(getpid()),
                file.number());
  struct stat status{};
  if (file.open() && fstat(file.number(), &status) == 0) {
    place.device = status.st_dev;
    place.number = status.st_ino;
  }
  return file;
}

// All agree, or none has it.
int agree(bool& succeeded, MPI_Comm node) {
  int mine = succeeded ? 1 : 0;
  int all = 0;
  RETURN_IF_FAILED(PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, node));
  succeeded = all == 1;
  return MPI_SUCCESS;
}

bool is_at(const Place& place, const Descriptor& file) {
  struct stat status{};
  return file.open() && fstat(file.number(), &status) == 0 && status.st_dev == place.device &&
         status.st_ino == place.number;
}

// The first rank's file on all ranks; not open on some, or all, where that fails.
int share(Kind kind, MPI_Comm node, int rank, int size, Place& place, Descriptor& file) {
  Descriptor socket;
  if (rank == 0 && kind == Kind::kHandedOver) socket = listen_for(size - 1, place.socket);
  // A file that could not be created is not found by the others either.
  RETURN_IF_FAILED(PMPI_Bcast(&place, sizeof place, MPI_BYTE, 0, node));
  if (kind == Kind::kOpened) {
    if (rank != 0) file = Descriptor(open(place.path, O_RDWR | O_CLOEXEC));
  } else {
    if (rank != 0) socket = connect_to(place.socket);
    // Nobody waits for a rank that may not come.
    bool connected = socket.open();
    RETURN_IF_FAILED(agree(connected, node));
    if (rank != 0) {
      file = connected ? take_over(socket) : Descriptor();
    } else if (!connected || !hand_over(file.number(), size - 1, socket)) {
      file.close();
    }
  }
  if (rank != 0 && !is_at(place, file)) file.close();
  return MPI_SUCCESS;
}

int map(Kind kind, MPI_Comm node, std::size_t bytes_per_rank, Segment& segment) {
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(node, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(node, &size));
  const std::size_t bytes = bytes_per_rank * static_cast<std::size_t>(size);

  const ErrorPastFileSizeLimit error_past_limit;
  Place place{};
  Descriptor file;
  if (rank == 0) file = create(place);
  bool succeeded = rank != 0 || ftruncate(file.number(), static_cast<off_t>(bytes)) == 0;
  RETURN_IF_FAILED(share(kind, node, rank, size, place, file));
  // Each rank takes the pages of its own part, on its own memory; without this, a full file system
  // would end the program at the first byte that is written.
  succeeded = succeeded && file.open() &&
              posix_fallocate(file.number(), static_cast<off_t>(bytes_per_rank) * rank,
                              static_cast<off_t>(bytes_per_rank)) == 0;
  void* memory = MAP_FAILED;
  if (succeeded) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  }
  succeeded = memory != MAP_FAILED;
  const int code = agree(succeeded, node);
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
  RETURN_IF_FAILED(map(Kind::kOpened, node, bytes_per_rank, segment));
  return segment.empty() ? map(Kind::kHandedOver, node, bytes_per_rank, segment) : MPI_SUCCESS;
}

}  // namespace leadline::node
