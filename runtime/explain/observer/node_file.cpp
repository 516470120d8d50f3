#include "runtime/explain/observer/node_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "algorithms/node/file_size_limit.hpp"

namespace leadline::explain {
namespace {

constexpr u64 kHeaderBytes = 4096;
constexpr char kMagic[8] = {'L', 'L', 'E', 'X', 'P', 'L', '0', '2'};

// Gives a new file all of its room at once: a page without would end the program by a signal.
int make(const std::string& path, u64 size, int& error) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) {
    error = errno;
    return -1;
  }
  const node::ErrorPastFileSizeLimit no_signal;
  error = posix_fallocate(file, 0, static_cast<off_t>(size));
  if (error == 0) return file;
  close(file);
  unlink(path.c_str());
  return -1;
}

std::byte* map(int file, u64 size) {
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

// What the first rank of a node tells its others: where it has made what they map.
constexpr u64 kFailed = 0;
constexpr u64 kInFolder = 1;

// A name that nobody else takes, as a number.
u64 name_aside() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<u64>(getpid()) << 32U |
         static_cast<u32>(now.tv_sec * 1000000000 + now.tv_nsec);
}

std::string aside_path(const char* what, u64 name) {
  char path[128];
  std::snprintf(path, sizeof path, "/dev/shm/leadline-explain-%s-%" PRIx64, what, name);
  return path;
}

u64 told_by_first(const std::vector<u64>& told) {
  const auto first = std::find(observer.index_of.begin(), observer.index_of.end(), 0);
  return told[static_cast<std::size_t>(first - observer.index_of.begin())];
}

// Without a folder nobody reads them.
u32 visits_of_each(const std::string& folder) {
  return !folder.empty() && observer.here < observer.ranks ? kVisits : 0;
}

void write_header(std::byte* bytes, int here, u32 visits, const std::string& library) {
  auto& header = *reinterpret_cast<Header*>(bytes);
  header.header_bytes = kHeaderBytes;
  header.functions = static_cast<u32>(function_count);
  header.ranks_here = static_cast<u32>(here);
  header.ranks_total = static_cast<u32>(observer.ranks);
  header.peers =
      observer.ranks <= static_cast<int>(kMostPeers) ? static_cast<u32>(observer.ranks) : 0;
  header.visits = visits;
  header.marks = kMarks;
  header.marks_offset = marks_offset(header.peers, header.visits);
  header.regions = kRegions;  // behind the marks
  header.costs = 1;
  header.mark_bytes = sizeof(Mark);
  header.block_bytes = block_bytes(header.peers, header.visits);
  header.functions_offset = kHeaderBytes;
  header.blocks_offset =
      whole_pages(kHeaderBytes + sizeof(FunctionName) * static_cast<u64>(function_count));
  header.rows = kRows;
  header.sites = kSites;
  header.node = static_cast<u32>(observer.node);
  std::snprintf(header.library, sizeof header.library, "%s",
                library.substr(0, library.find_first_of("\r\n")).c_str());
  gethostname(header.host, sizeof header.host - 1);
  auto* const names = reinterpret_cast<FunctionName*>(bytes + header.functions_offset);
  for (int i = 0; i < function_count; ++i) {
    std::snprintf(names[i].name, sizeof names[i].name, "%s", named(i).name);
    names[i].kind = i == 0 ? 0 : named(i).kind;
  }
  for (int i = 0; i < here; ++i) {
    auto* const at = bytes + header.blocks_offset + header.block_bytes * static_cast<u64>(i);
    reinterpret_cast<Block*>(at)->rank = kNoRank;
  }
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(header.magic, kMagic, sizeof kMagic);
}

bool is_folder(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string own_path(const std::string& folder, u32 node) {
  return folder + "/node-" + std::to_string(node) + ".explain";
}

}  // namespace

NodeFile open_node_file(const std::string& folder, Job& job, int& descriptor) {
  NodeFile file;
  const u32 visits = visits_of_each(folder);
  const u32 peers =
      observer.ranks <= static_cast<int>(kMostPeers) ? static_cast<u32>(observer.ranks) : 0;
  file.size = whole_pages(kHeaderBytes + sizeof(FunctionName) * static_cast<u64>(function_count)) +
              block_bytes(peers, visits) * static_cast<u64>(observer.here);
  std::string path;
  std::string failure;
  int made = -1;
  u64 told = kFailed;
  if (observer.index == 0) {
    told = is_folder(folder) ? kInFolder : name_aside();
    path = told == kInFolder ? own_path(folder, static_cast<u32>(observer.node))
                             : aside_path("file", told);
    int error = ENOSPC;
    if (!folder.empty() || leaves_room(file.size)) made = make(path, file.size, error);
    if (made >= 0) file.bytes = map(made, file.size);
    if (file.bytes != nullptr) {
      write_header(file.bytes, observer.here, visits, job.library());
    } else {
      failure = path + ": " + (made < 0 ? std::strerror(error) : "cannot be shared");
      told = kFailed;
    }
  }
  told = told_by_first(job.gather(told));
  file.is_aside = told != kInFolder;
  if (observer.index != 0 && told != kFailed) {
    path = told == kInFolder ? own_path(folder, static_cast<u32>(observer.node))
                             : aside_path("file", told);
    made = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (made >= 0) file.bytes = map(made, file.size);
  }
  const std::vector<u64> mapped = job.gather(file.bytes != nullptr ? 1 : 0);
  const auto failed = std::find(mapped.begin(), mapped.end(), 0);
  const bool all = failed == mapped.end();
  if (observer.index == 0 && made >= 0 && (file.is_aside || !all)) unlink(path.c_str());
  if (all && observer.index == 0) {
    descriptor = made;
  } else if (made >= 0) {
    close(made);
  }
  if (all) return file;
  // The first rank of the first node that failed says it, for all.
  const auto where = static_cast<std::size_t>(failed - mapped.begin());
  if (observer.index == 0 && observer.node_of[where] == observer.node && !folder.empty()) {
    speak(failure.empty() ? path + ": cannot be shared" : failure);
  }
  if (file.bytes != nullptr) munmap(file.bytes, file.size);
  return {};
}

bool leaves_room(u64 size) {
  constexpr u64 kPart = 4;
  struct statvfs there{};
  return statvfs("/dev/shm", &there) == 0 && size <= u64{there.f_bavail} * there.f_frsize / kPart;
}

std::byte* open_shared_memory(u64 size, Job& job) {
  std::string path;
  int file = -1;
  u64 told = kFailed;
  if (observer.index == 0 && size != 0) {
    told = name_aside();
    path = aside_path("memory", told);
    int error = 0;
    file = make(path, size, error);
    if (file < 0) told = kFailed;
  }
  told = told_by_first(job.gather(told));
  if (observer.index != 0 && told != kFailed) {
    file = open(aside_path("memory", told).c_str(), O_RDWR | O_CLOEXEC);
  }
  std::byte* const bytes = file >= 0 ? map(file, size) : nullptr;
  if (file >= 0) close(file);
  const std::vector<u64> mapped = job.gather(bytes != nullptr ? 1 : 0);
  if (observer.index == 0 && told != kFailed) unlink(path.c_str());
  for (std::size_t rank = 0; rank < mapped.size(); ++rank) {
    if (observer.index_of[rank] < 0 || mapped[rank] != 0) continue;
    if (bytes != nullptr) munmap(bytes, size);
    return nullptr;
  }
  return bytes;
}

void speak(const std::string& what) {
  std::fprintf(stderr, "leadline: %s; the program goes on unobserved\n", what.c_str());
}

namespace {

void write_pages(int file, const std::byte* bytes, u64 size, u64 offset) {
  static const std::byte zeros[kPage] = {};
  for (u64 at = 0; at < size; at += kPage) {
    const u64 length = std::min(kPage, size - at);
    if (std::memcmp(bytes + at, zeros, length) == 0) continue;
    if (pwrite(file, bytes + at, length, static_cast<off_t>(offset + at)) < 0) return;
  }
}

// Rank 0's file of another node, of which it writes what comes.
int make_file_of(const std::string& folder, int node, u64 size) {
  const std::string path = own_path(folder, static_cast<u32>(node));
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) {
    std::fprintf(stderr, "leadline: %s: %s\n", path.c_str(), std::strerror(errno));
  }
  return file;
}

}  // namespace

void bring_together(const NodeFile& file, const std::string& folder, Job& job) {
  const std::vector<u64> sizes = job.gather(file.is_aside && observer.index == 0 ? file.size : 0);
  const node::ErrorPastFileSizeLimit no_signal;
  std::vector<std::byte> chunk(observer.rank == 0 ? Job::kMostBrought : 0);
  for (std::size_t from = 0; from < sizes.size(); ++from) {
    const u64 size = sizes[from];
    if (size == 0) continue;
    const bool writes = observer.rank == 0;
    const bool reads = observer.rank == static_cast<int>(from);
    const int to = writes ? make_file_of(folder, observer.node_of[from], size) : -1;
    for (u64 at = 0; at < size; at += Job::kMostBrought) {
      const u64 length = std::min(Job::kMostBrought, size - at);
      job.bring(static_cast<int>(from), reads ? file.bytes + at : chunk.data(), length);
      if (to >= 0) write_pages(to, chunk.data(), length, at);
    }
    if (to >= 0) close(to);
  }
}

}  // namespace leadline::explain
