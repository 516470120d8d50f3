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

// All that it writes until its end; false where it takes too long.
bool read_all(int pipe, std::string& text) {
  const double deadline = now_s() + kMostSeconds;
  while (true) {
    const double left = deadline - now_s();
    if (left <= 0) return false;
    pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(left * 1e3)) <= 0) continue;
    char some[4096];
    const ssize_t got = read(pipe, some, sizeof some);
    if (got <= 0) return true;
    if (text.size() < kMostBytes) text.append(some, static_cast<std::size_t>(got));
  }
}

}  // namespace

Answer ask_leadline(const std::string& folder, About about) {
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
  char* all[] = {program.data(), stuck, of.data(), nullptr};
  char* sure[] = {program.data(), stuck, unasked, of.data(), nullptr};
  char** const words = about == About::kAll ? all : sure;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, program.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) {
    if (!read_all(ends[0], answer.text)) kill(pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (exit == 1 && !answer.text.empty()) answer.verdict = Answer::Verdict::kStuck;
    if (exit == 0) answer.verdict = Answer::Verdict::kMoves;
  }
  close(ends[0]);
  return answer;
}

}  // namespace leadline::explain
