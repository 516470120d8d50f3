#include "runtime/explain/watch/meeting.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace leadline::explain {
namespace {

constexpr char kSuffix[] = ".explain";

// Zeros are left out, and what ranks keep of single visits.
bool write_pages(int file, const NodeFile& node) {
  static const std::byte zeros[kPage] = {};
  if (ftruncate(file, static_cast<off_t>(node.size)) != 0) return false;
  for (u64 at = 0; at < node.size; at += kPage) {
    const u64 length = std::min(kPage, node.size - at);
    if (std::memcmp(node.bytes + at, zeros, length) == 0) continue;
    const ssize_t written = pwrite(file, node.bytes + at, length, static_cast<off_t>(at));
    if (written != static_cast<ssize_t>(length)) return false;
  }
  return true;
}

std::string link_of(int descriptor) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor);
}

}  // namespace

Meeting::Meeting(const NodeFile& file, int memory, const JobPlace& place)
    : file_(file),
      memory_(memory),
      own_("node-" + std::to_string(file.header().node) + kSuffix),
      name_("." + place.number + ".stands"),
      day_(open_day(place)) {}

Meeting::~Meeting() {
  leave();
  if (day_ >= 0) close(day_);
}

void Meeting::come() {
  if (has_come_ || day_ < 0) return;
  mkdirat(day_, name_.c_str(), S_IRWXU);
  folder_ = openat(day_, name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status{};
  if (folder_ < 0 || fstat(folder_, &status) != 0 || status.st_uid != geteuid()) return leave();
  const std::string aside = "." + own_;
  unlinkat(folder_, aside.c_str(), 0);
  bool is_there = false;
  if (file_.header().node == 0) {
    // Who judges is on this node, and sees what goes on.
    is_there = symlinkat(link_of(memory_).c_str(), folder_, aside.c_str()) == 0;
  } else {
    constexpr int kHow = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int file = openat(folder_, aside.c_str(), kHow, S_IRUSR | S_IWUSR);
    is_there = file >= 0 && write_pages(file, file_);
    if (file >= 0) close(file);
  }
  has_come_ = is_there && renameat(folder_, aside.c_str(), folder_, own_.c_str()) == 0;
  if (!has_come_) leave();
}

void Meeting::leave() {
  if (folder_ < 0) return;
  unlinkat(folder_, ("." + own_).c_str(), 0);
  unlinkat(folder_, own_.c_str(), 0);
  close(folder_);
  folder_ = -1;
  has_come_ = false;
  // The last one does so.
  unlinkat(day_, name_.c_str(), AT_REMOVEDIR);
}

bool Meeting::is_whole() const {
  if (!has_come_) return false;
  u32 ranks = 0;
  const int again = openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = again >= 0 ? fdopendir(again) : nullptr;
  if (entries == nullptr) return false;
  while (const dirent* const entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name[0] == '.' || !name.ends_with(kSuffix)) continue;
    const int file = openat(folder_, name.c_str(), O_RDONLY | O_CLOEXEC);
    Header header{};
    if (file >= 0 && pread(file, &header, sizeof header, 0) == ssize_t{sizeof header}) {
      ranks += header.ranks_here;
    }
    if (file >= 0) close(file);
  }
  closedir(entries);
  return ranks == file_.header().ranks_total;
}

std::string Meeting::path() const { return has_come_ ? link_of(folder_) : ""; }

}  // namespace leadline::explain
