#include "runtime/explain/watch/meeting.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace leadline::explain {
namespace {

constexpr char kRanks[] = ".ranks";

std::string link_of(int descriptor) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor);
}

// Makes it where it is not there; -1 where it is not this user's own.
int open_folder(int in, const std::string& name) {
  mkdirat(in, name.c_str(), S_IRWXU);
  const int found = openat(in, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status{};
  if (found < 0 || (fstat(found, &status) == 0 && status.st_uid == geteuid())) return found;
  close(found);
  return -1;
}

}  // namespace

Meeting::Meeting(const NodeFile& file, int memory, const JobPlace& place)
    : file_(file),
      memory_(memory),
      node_(std::to_string(file.header().node)),
      name_("." + (place.is_recording() ? "hang" : place.number) + ".stands"),
      day_(open_day(place)) {}

Meeting::~Meeting() {
  leave();
  if (day_ >= 0) close(day_);
}

bool Meeting::open_folders() {
  if (own_ >= 0) return true;
  folder_ = day_ >= 0 ? open_folder(day_, name_) : -1;
  own_ = folder_ >= 0 ? open_folder(folder_, node_) : -1;
  if (own_ < 0) return false;
  const std::string link = "node-" + node_ + ".explain";
  unlinkat(own_, link.c_str(), 0);
  return symlinkat(link_of(memory_).c_str(), own_, link.c_str()) == 0;
}

std::string Meeting::come() {
  if (open_folders()) return link_of(folder_) + "/" + node_;
  leave();
  return "";
}

void Meeting::leave() {
  if (own_ >= 0) {
    unlinkat(own_, ("node-" + node_ + ".explain").c_str(), 0);
    close(own_);
  }
  if (folder_ >= 0) {
    unlinkat(folder_, node_.c_str(), AT_REMOVEDIR);
    const std::string ranks = "node-" + node_ + "-" + std::to_string(file_.header().ranks_here);
    unlinkat(folder_, (ranks + kRanks).c_str(), 0);
    close(folder_);
    // The last one does so.
    unlinkat(day_, name_.c_str(), AT_REMOVEDIR);
  }
  own_ = folder_ = -1;
}

bool Meeting::is_whole() const {
  u64 ranks = file_.header().ranks_here;
  if (ranks == file_.header().ranks_total) return own_ >= 0;
  const int again = folder_ >= 0 ? openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  DIR* const entries = again >= 0 ? fdopendir(again) : nullptr;
  if (entries == nullptr) return false;
  while (const dirent* const entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (!name.starts_with("node-") || !name.ends_with(kRanks)) continue;
    ranks += std::strtoull(name.c_str() + name.rfind('-') + 1, nullptr, 10);
  }
  closedir(entries);
  return ranks == file_.header().ranks_total;
}

}  // namespace leadline::explain
