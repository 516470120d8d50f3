#include "runtime/explain/watch/board.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace leadline::explain {
namespace {

// Where all have something to say, a part of it is enough.
constexpr std::size_t kMostRead = 64;
constexpr std::size_t kMostBytes = 8192;

// If it is a user's own, of this type.
int open_own(int in, const std::string& name, mode_t type) {
  const int found = openat(in, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status{};
  if (found < 0) return -1;
  const bool is_own = fstat(found, &status) == 0 && status.st_uid == geteuid();
  if (is_own && (status.st_mode & S_IFMT) == type) return found;
  close(found);
  return -1;
}

std::string text_in(int folder, const std::string& name) {
  const int file = open_own(folder, name, S_IFREG);
  if (file < 0) return "";
  std::string text(kMostBytes, '\0');
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

bool is_number(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Board::Board(const JobPlace& place, unsigned node)
    : name_("." + (place.is_recording() ? "nodes" : place.number) + ".slow"),
      node_(std::to_string(node)),
      day_(open_day(place)) {}

Board::~Board() {
  leave("");
  if (day_ >= 0) close(day_);
}

void Board::leave(const std::string& text) {
  if (text == left_ || day_ < 0) return;
  left_ = text;
  if (!text.empty()) mkdirat(day_, name_.c_str(), S_IRWXU);
  const int folder = open_own(day_, name_, S_IFDIR);
  if (folder < 0) return;
  if (text.empty()) {
    unlinkat(folder, node_.c_str(), 0);
    // The last one does so.
    unlinkat(day_, name_.c_str(), AT_REMOVEDIR);
  } else {
    const std::string aside = "." + node_;
    constexpr int kHow = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    const int file = openat(folder, aside.c_str(), kHow, S_IRUSR | S_IWUSR);
    const auto all = static_cast<ssize_t>(text.size());
    const bool is_whole = file >= 0 && write(file, text.data(), text.size()) == all;
    if (file >= 0) close(file);
    if (!is_whole || renameat(folder, aside.c_str(), folder, node_.c_str()) != 0) {
      unlinkat(folder, aside.c_str(), 0);
    }
  }
  close(folder);
}

std::vector<std::string> Board::of_others() const {
  std::vector<std::string> found;
  const int folder = day_ >= 0 ? open_own(day_, name_, S_IFDIR) : -1;
  DIR* const entries = folder >= 0 ? fdopendir(folder) : nullptr;
  if (entries == nullptr) {
    if (folder >= 0) close(folder);
    return found;
  }
  while (const dirent* const entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (is_number(name) && name != node_) found.push_back(text_in(folder, name));
    if (found.size() >= kMostRead) break;
  }
  closedir(entries);
  return found;
}

}  // namespace leadline::explain
