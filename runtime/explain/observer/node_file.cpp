#include "runtime/explain/observer/node_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "algorithms/node/file_size_limit.hpp"

namespace leadline::explain {
namespace {

constexpr u64 kHeaderBytes = 4096;
constexpr char kMagic[8] = {'L', 'L', 'E', 'X', 'P', 'L', '0', '1'};
constexpr std::size_t kRoom = 4096;

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

std::string aside_path(const char* what) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  char path[128];
  std::snprintf(path, sizeof path, "/dev/shm/leadline-explain-%s-%ld-%lld%09ld", what,
                static_cast<long>(getpid()), static_cast<long long>(now.tv_sec), now.tv_nsec);
  return path;
}

// The first rank has made a file, which all others map, too; an empty path: it failed.
std::byte* map_together(const std::string& path, int made, u64 size, MPI_Comm node_comm) {
  char shared[kRoom] = "";
  path.copy(shared, kRoom - 1);
  PMPI_Bcast(shared, kRoom, MPI_CHAR, 0, node_comm);
  if (shared[0] == '\0') return nullptr;
  const int file = made >= 0 ? made : open(shared, O_RDWR | O_CLOEXEC);
  std::byte* const bytes = file >= 0 ? map(file, size) : nullptr;
  if (file >= 0) close(file);
  int mapped = bytes != nullptr;
  PMPI_Allreduce(MPI_IN_PLACE, &mapped, 1, MPI_INT, MPI_MIN, node_comm);
  if (mapped != 0) return bytes;
  if (bytes != nullptr) munmap(bytes, size);
  return nullptr;
}

void write_header(std::byte* bytes, int here) {
  auto& header = *reinterpret_cast<Header*>(bytes);
  header.header_bytes = kHeaderBytes;
  header.functions = static_cast<u32>(function_count);
  header.ranks_here = static_cast<u32>(here);
  header.ranks_total = static_cast<u32>(observer.ranks);
  header.peers =
      observer.ranks <= static_cast<int>(kMostPeers) ? static_cast<u32>(observer.ranks) : 0;
  header.block_bytes = block_bytes(header.peers);
  header.functions_offset = kHeaderBytes;
  header.blocks_offset =
      whole_pages(kHeaderBytes + sizeof(FunctionName) * static_cast<u64>(function_count));
  header.rows = kRows;
  header.sites = kSites;
  header.node = static_cast<u32>(observer.node);
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(version, &length);
  version[std::strcspn(version, "\r\n")] = '\0';
  std::snprintf(header.library, sizeof header.library, "%s", version);
  gethostname(header.host, sizeof header.host - 1);
  auto* const names = reinterpret_cast<FunctionName*>(bytes + header.functions_offset);
  for (int i = 0; i < function_count; ++i) {
    std::snprintf(names[i].name, sizeof names[i].name, "%s", functions[i].name);
    names[i].kind = i == 0 ? 0 : functions[i].kind;
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

NodeFile open_node_file(const std::string& folder, MPI_Comm node_comm) {
  NodeFile file;
  const u32 peers =
      observer.ranks <= static_cast<int>(kMostPeers) ? static_cast<u32>(observer.ranks) : 0;
  file.size = whole_pages(kHeaderBytes + sizeof(FunctionName) * static_cast<u64>(function_count)) +
              block_bytes(peers) * static_cast<u64>(observer.here);
  std::string path;
  int made = -1;
  int aside = 0;
  if (observer.index == 0) {
    aside = is_folder(folder) ? 0 : 1;
    path = aside != 0 ? aside_path("file") : own_path(folder, static_cast<u32>(observer.node));
    int error = 0;
    made = make(path, file.size, error);
    if (made < 0) {
      file.failure = path + ": " + std::strerror(error);
      path.clear();
    }
  }
  PMPI_Bcast(&aside, 1, MPI_INT, 0, node_comm);
  file.is_aside = aside != 0;
  file.bytes = map_together(path, made, file.size, node_comm);
  if (observer.index == 0) {
    if (file.bytes == nullptr && file.failure.empty()) file.failure = path + ": cannot be shared";
    if (file.bytes == nullptr || file.is_aside) unlink(path.c_str());
    if (file.bytes != nullptr) write_header(file.bytes, observer.here);
  }
  PMPI_Barrier(node_comm);
  return file;
}

std::byte* open_shared_memory(u64 size, MPI_Comm node_comm) {
  std::string path;
  int made = -1;
  if (observer.index == 0) {
    path = aside_path("memory");
    int error = 0;
    made = make(path, size, error);
    if (made < 0) path.clear();
  }
  std::byte* const bytes = map_together(path, made, size, node_comm);
  if (!path.empty()) unlink(path.c_str());
  return bytes;
}

namespace {

constexpr u64 kChunk = u64{1} << 20U;

void write_pages(int file, const std::byte* bytes, u64 size, u64 offset) {
  static const std::byte zeros[kPage] = {};
  for (u64 at = 0; at < size; at += kPage) {
    const u64 length = std::min(kPage, size - at);
    if (std::memcmp(bytes + at, zeros, length) == 0) continue;
    if (pwrite(file, bytes + at, length, static_cast<off_t>(offset + at)) < 0) return;
  }
}

void receive_file(const std::string& folder, int from, u64 size, MPI_Comm leaders) {
  std::vector<std::byte> chunk(kChunk);
  const std::string path = own_path(folder, static_cast<u32>(from));
  const node::ErrorPastFileSizeLimit no_signal;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) {
    std::fprintf(stderr, "leadline: %s: %s\n", path.c_str(), std::strerror(errno));
  }
  for (u64 at = 0; at < size; at += kChunk) {
    const u64 length = std::min(kChunk, size - at);
    PMPI_Recv(chunk.data(), static_cast<int>(length), MPI_BYTE, from, 0, leaders,
              MPI_STATUS_IGNORE);
    if (file >= 0) write_pages(file, chunk.data(), length, at);
  }
  if (file >= 0) close(file);
}

}  // namespace

void bring_together(const NodeFile& file, const std::string& folder, MPI_Comm leaders) {
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(leaders, &rank);
  PMPI_Comm_size(leaders, &size);
  const auto own = static_cast<unsigned long long>(file.is_aside ? file.size : 0);
  std::vector<unsigned long long> sizes(static_cast<std::size_t>(size));
  PMPI_Gather(&own, 1, MPI_UNSIGNED_LONG_LONG, sizes.data(), 1, MPI_UNSIGNED_LONG_LONG, 0, leaders);
  if (rank == 0) {
    for (int from = 1; from < size; ++from) {
      const u64 bytes = sizes[static_cast<std::size_t>(from)];
      if (bytes != 0) receive_file(folder, from, bytes, leaders);
    }
    return;
  }
  for (u64 at = 0; at < own; at += kChunk) {
    PMPI_Send(file.bytes + at, static_cast<int>(std::min<u64>(kChunk, own - at)), MPI_BYTE, 0, 0,
              leaders);
  }
}

}  // namespace leadline::explain
