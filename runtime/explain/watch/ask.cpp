#include "runtime/explain/watch/ask.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "runtime/explain/watch/ranks.hpp"

namespace leadline::explain {
namespace {

// Its look takes a second; the program may lie on a slow file system.
constexpr double kMostSeconds = 60;
constexpr std::size_t kMostBytes = 65536;
constexpr double kAskedAgain = 0.1;

// All that it writes until its end; false where it takes too long, or nobody needs it any more.
bool read_all(int pipe, std::string& text, const std::function<bool()>& is_needed) {
  const double deadline = now_s() + kMostSeconds;
  while (now_s() < deadline && is_needed()) {
    pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(kAskedAgain * 1e3)) <= 0) continue;
    char some[4096];
    const ssize_t got = read(pipe, some, sizeof some);
    if (got <= 0) return true;
    if (text.size() < kMostBytes) text.append(some, static_cast<std::size_t>(got));
  }
  return false;
}

}  // namespace

Answer ask_leadline(const std::string& folder, const std::function<bool()>& is_needed) {
  Answer answer{.verdict = Answer::Verdict::kNone, .text = {}};
  const char* const command = std::getenv("LEADLINE_COMMAND");
  int ends[2];
  if (command == nullptr || *command == '\0' || folder.empty() || pipe2(ends, O_CLOEXEC) != 0) {
    return answer;
  }
  std::string program = command;
  std::string of = folder;
  char stuck[] = "stuck";
  char unasked[] = "--unasked";
  char* words[] = {program.data(), stuck, unasked, of.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // What it starts ends with it.
  posix_spawnattr_t own_group;
  posix_spawnattr_init(&own_group);
  posix_spawnattr_setflags(&own_group, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, program.c_str(), &actions, &own_group, words, environ);
  posix_spawnattr_destroy(&own_group);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) {
    if (!read_all(ends[0], answer.text, is_needed)) kill(-pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const bool is_answer = answer.text.find(kMark) != std::string::npos;
    if (exit == 1 && is_answer) answer.verdict = Answer::Verdict::kStuck;
    if (exit == 0) answer.verdict = Answer::Verdict::kMoves;
  }
  close(ends[0]);
  return answer;
}

}  // namespace leadline::explain
