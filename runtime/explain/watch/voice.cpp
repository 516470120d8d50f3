#include "runtime/explain/watch/voice.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "runtime/explain/watch/process.hpp"

namespace leadline::explain {
namespace {

// Standard error that takes nothing for so long has no reader.
constexpr double kUnread = 2;
// Between a rank and its launcher are shells and the like.
constexpr int kMostBetween = 8;
constexpr char kHydra[] = "hydra_pmi_proxy";

// The pipe that is a process's standard error; -1 where that is none.
int errors_of(pid_t pid) {
  const std::string link = "/proc/" + std::to_string(pid) + "/fd/2";
  const int file = open(link.c_str(), O_WRONLY | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || (fstat(file, &status) == 0 && S_ISFIFO(status.st_mode))) return file;
  close(file);
  return -1;
}

// The process with which MPICH's launcher serves this host, where one has started the rank.
pid_t hydra_of(pid_t rank) {
  pid_t pid = parent_of(rank);
  for (int i = 0; i < kMostBetween && pid > 1; ++i, pid = parent_of(pid)) {
    if (name_of(pid) == kHydra) return pid;
  }
  return 0;
}

}  // namespace

void take_voice(pid_t rank) {
  // Hydra forgets that it has killed a rank itself where it reads from a rank's standard error
  // after that: the program's exit status would be another one.
  const pid_t hydra = hydra_of(rank);
  const int errors = hydra > 0 ? errors_of(hydra) : -1;
  if (errors < 0) return;
  dup2(errors, STDERR_FILENO);
  close(errors);
}

void speak(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(kUnread * 1e3)) <= 0) return;
    const std::size_t some = std::min(text.size() - at, std::size_t{PIPE_BUF});
    const ssize_t written = write(STDERR_FILENO, text.data() + at, some);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

void end_voice() { close(STDERR_FILENO); }

}  // namespace leadline::explain
