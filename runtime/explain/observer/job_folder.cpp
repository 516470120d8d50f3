#include "runtime/explain/observer/job_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "algorithms/node/file_size_limit.hpp"

namespace leadline::explain {
namespace {

// A folder that is held open.
class Folder {
 public:
  explicit Folder(int opened) : opened_(opened) {}
  ~Folder() {
    if (opened_ >= 0) close(opened_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  int get() const { return opened_; }
  int release() { return std::exchange(opened_, -1); }
  struct stat status() const {
    struct stat found{};
    if (fstat(opened_, &found) != 0) found.st_uid = static_cast<uid_t>(-1);
    return found;
  }
  // Goes down into one of its folders, which is the site's as this one is.
  bool enter(const std::string& below) {
    constexpr int kHow = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const uid_t owner = status().st_uid;
    // The folder of a user's own. In one for all, what a user makes is not the site's.
    if (owner == geteuid()) mkdirat(opened_, below.c_str(), S_IRWXU | S_IRWXG | S_IRWXO);
    Folder found(openat(opened_, below.c_str(), kHow));
    if (found.get() < 0 || found.status().st_uid != owner) return false;
    std::swap(opened_, found.opened_);
    return true;
  }

 private:
  int opened_;
};

bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return false;
    at += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  return true;
}

}  // namespace

std::string whole_path(const std::string& path) {
  char* const whole = realpath(path.c_str(), nullptr);
  std::string found = whole != nullptr ? whole : path;
  std::free(whole);
  return found;
}

int open_day(const JobPlace& place) {
  Folder found(open(place.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (found.get() < 0) return -1;
  if (found.enter(place.days[0]) && found.enter(place.days[1])) found.enter(place.days[2]);
  return found.release();
}

void write_beside(const JobPlace& place, const std::string& name, const std::string& text) {
  const Folder into(open_day(place));
  if (into.get() < 0) return;
  // The group of a folder that hands on its own one is the site's.
  const bool has_group = (into.status().st_mode & S_ISGID) != 0;
  const mode_t mode = S_IRUSR | S_IWUSR | (has_group ? S_IRGRP : 0U);
  const std::string aside = "." + name + "." + std::to_string(gettid());
  constexpr int kHow = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int file = openat(into.get(), aside.c_str(), kHow, S_IRUSR | S_IWUSR);
  if (file < 0) return;
  const node::ErrorPastFileSizeLimit no_signal;
  const bool written = write_all(file, text) && fchmod(file, mode) == 0;
  close(file);
  if (!written || renameat(into.get(), aside.c_str(), into.get(), name.c_str()) != 0) {
    unlinkat(into.get(), aside.c_str(), 0);
  }
}

void append_to(const JobPlace& place, const char* name, const std::string& text) {
  constexpr int kHow = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  const std::string path = place.folder + "/" + name;
  const int file = open(path.c_str(), kHow, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  if (file < 0) return;
  const node::ErrorPastFileSizeLimit no_signal;
  write_all(file, text);
  close(file);
}

}  // namespace leadline::explain
