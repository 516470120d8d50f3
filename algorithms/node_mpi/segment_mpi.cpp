#include "algorithms/node_mpi/segment_mpi.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <utility>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node/file_size_limit.hpp"

namespace leadline::node {
namespace {

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + page() - 1) / page() * page(); }

// The file begins with a page for its mark, which no other file has: machines that were restored
// from one image have the same names for different things.
std::uint64_t new_mark() {
  std::uint64_t mark = 0;
  std::ignore = getrandom(&mark, sizeof mark, GRND_NONBLOCK);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return mark ^ static_cast<std::uint64_t>(now.tv_sec) << 30U ^
         static_cast<std::uint64_t>(now.tv_nsec);
}

// A file without a name goes with the last process that has it, however that ends.
Descriptor create(std::size_t bytes, std::uint64_t mark) {
  Descriptor file(memfd_create("leadline", MFD_CLOEXEC));
  if (!file.open()) {
    file = Descriptor(open("/dev/shm", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600));
  }
  if (!file.open() || pwrite(file.number(), &mark, sizeof mark, 0) != sizeof mark ||
      ftruncate(file.number(), static_cast<off_t>(bytes)) != 0) {
    file.close();
  }
  return file;
}

// Which file it is, and where this process has it.
bool describe(const Descriptor& file, Offer::Words& words) {
  struct stat status{};
  std::uint64_t mark = 0;
  if (!file.open() || fstat(file.number(), &status) != 0 ||
      pread(file.number(), &mark, sizeof mark, 0) != sizeof mark) {
    return false;
  }
  words = {static_cast<std::uint64_t>(getpid()) << 32U | static_cast<unsigned>(file.number()),
           status.st_dev, status.st_ino, mark};
  return true;
}

bool is_same(const Offer::Words& one, const Offer::Words& other) {
  return one[1] == other[1] && one[2] == other[2] && one[3] == other[3];
}

// All agree, or none has it.
int agree(bool& succeeded, MPI_Comm node) {
  int mine = succeeded ? 1 : 0;
  int all = 0;
  RETURN_IF_FAILED(PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, node));
  succeeded = all == 1;
  return MPI_SUCCESS;
}

// The first rank's file on all ranks, where they cannot open it themselves; not open on some, or
// all, where that fails.
int hand_over(MPI_Comm node, int rank, int size, std::size_t bytes, Descriptor& file) {
  struct {
    Offer::Words words;
    SocketName socket;
  } told{};
  Offer made;
  Descriptor socket;
  if (rank == 0) {
    made = Offer::make(bytes);
    told.words = made.words();
    socket = listen_for(size - 1, told.socket);
  }
  // A file that could not be made is not found by the others either.
  RETURN_IF_FAILED(PMPI_Bcast(&told, sizeof told, MPI_BYTE, 0, node));
  if (rank != 0) socket = connect_to(told.socket);
  // Nobody waits for a rank that may not come.
  bool connected = socket.open();
  RETURN_IF_FAILED(agree(connected, node));
  if (!connected) return MPI_SUCCESS;
  Offer::Words words{};
  if (rank != 0) {
    file = take_over(socket);
    if (!describe(file, words) || !is_same(words, told.words)) file.close();
  } else {
    file = made.take();
    if (!node::hand_over(file.number(), size - 1, socket)) file.close();
  }
  return MPI_SUCCESS;
}

// What is not there would end the program at the first byte that is written: a full file system
// shows when pages are asked for. Each rank asks for its own, on its own memory, and for the most
// part of them when it needs them, where the kernel can then say whether they are to be had.
// Returns how many bytes of its part are there; 0: it cannot have the least.
std::size_t reserve(const Descriptor& file, int rank, const Extent& extent, std::byte* memory) {
  const std::size_t begin = extent.bytes * static_cast<std::size_t>(rank);
  const auto have = [&](std::size_t bytes) {
    return posix_fallocate(file.number(), static_cast<off_t>(page() + begin),
                           static_cast<off_t>(bytes)) == 0
               ? bytes
               : 0;
  };
  if (have(extent.least) == 0) return 0;
  if (populate(memory + begin, page())) return extent.least;
  return have(extent.bytes);
}

// Collective: all have it, or none.
int map(MPI_Comm node, int rank, int size, const Extent& extent, const Descriptor& file,
        Segment& segment) {
  const std::size_t bytes = extent.bytes * static_cast<std::size_t>(size);
  void* memory = MAP_FAILED;
  if (file.open()) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(),
                  static_cast<off_t>(page()));
  }
  Segment mapped;
  bool succeeded = memory != MAP_FAILED;
  if (succeeded) {
    auto* const begin = static_cast<std::byte*>(memory);
    mapped = Segment(begin, extent.bytes, size);
    const std::size_t reserved = reserve(file, rank, extent, begin);
    mapped.set_reserved(reserved);
    succeeded = reserved > 0;
  }
  RETURN_IF_FAILED(agree(succeeded, node));
  if (succeeded) segment = std::move(mapped);
  return MPI_SUCCESS;
}

}  // namespace

Offer Offer::make(std::size_t bytes) {
  const ErrorPastFileSizeLimit error_past_limit;
  Offer offer;
  offer.file_ = create(bytes, new_mark());
  if (!describe(offer.file_, offer.words_)) offer.file_.close();
  return offer;
}

Descriptor Offer::take() {
  if (none() || file_.open()) return std::move(file_);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lu/fd/%lu", static_cast<unsigned long>(words_[0] >> 32U),
                static_cast<unsigned long>(words_[0] & UINT32_MAX));
  Descriptor file(open(path, O_RDWR | O_CLOEXEC));
  Words found{};
  if (!describe(file, found) || !is_same(found, words_)) file.close();
  return file;
}

std::size_t file_bytes(const Extent& extent, int ranks) {
  return page() + whole_pages(extent.bytes) * static_cast<std::size_t>(ranks);
}

int map_segment(MPI_Comm node, const Extent& extent, Offer offer, Segment& segment) {
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(node, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(node, &size));
  const Extent pages{.bytes = whole_pages(extent.bytes), .least = whole_pages(extent.least)};
  const std::size_t bytes = file_bytes(extent, size);
  const ErrorPastFileSizeLimit error_past_limit;
  if (offer.none()) {
    if (rank == 0) offer = Offer::make(bytes);
    Offer::Words words = offer.words();
    RETURN_IF_FAILED(PMPI_Bcast(words.data(), sizeof words, MPI_BYTE, 0, node));
    if (rank != 0) offer = Offer(words);
  }
  RETURN_IF_FAILED(map(node, rank, size, pages, offer.take(), segment));
  if (!segment.empty()) return MPI_SUCCESS;
  Descriptor file;
  RETURN_IF_FAILED(hand_over(node, rank, size, bytes, file));
  return map(node, rank, size, pages, file, segment);
}

}  // namespace leadline::node
