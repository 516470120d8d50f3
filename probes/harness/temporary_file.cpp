#include "harness/temporary_file.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "harness/benchmark.hpp"
#include "harness/coordinate.hpp"

namespace leadline::probe {
namespace {

constexpr const char* kFolderVariable = "LEADLINE_IO_FOLDER";

std::filesystem::path chosen_folder() {
  const char* chosen = std::getenv(kFolderVariable);
  if (chosen != nullptr && *chosen != '\0') return std::filesystem::absolute(chosen);
  return std::filesystem::current_path();
}

// Returns why a file of so many bytes cannot be there, or nothing.
std::string obstacle(const std::string& path, std::size_t bytes) {
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return std::strerror(errno);
  const int lacking = bytes > 0 ? posix_fallocate(file, 0, static_cast<off_t>(bytes)) : 0;
  ::close(file);
  ::unlink(path.c_str());
  // A file system that cannot reserve says so when it is written to.
  if (lacking == 0 || lacking == EOPNOTSUPP || lacking == EINVAL) return "";
  return "no room for " + std::to_string(bytes) + " bytes: " + std::strerror(lacking);
}

}  // namespace

std::string temporary_folder_advice() {
  return std::string("set ") + kFolderVariable + " to a folder that all nodes share";
}

// Rank 0 decides, and tries: what is wrong is then said in the system's words.
TemporaryFile::TemporaryFile(World& world, std::size_t bytes) : owner_(world.rank() == 0) {
  struct {
    char path[PATH_MAX];
    char obstacle[256];
  } choice{};
  if (owner_) {
    static int files = 0;
    const std::string name =
        "leadline-" + std::to_string(::getpid()) + "-" + std::to_string(++files) + ".data";
    std::string path = name;
    std::string wrong;
    try {
      path = (chosen_folder() / name).string();
      wrong = path.size() < sizeof choice.path ? obstacle(path, bytes) : "its name is too long";
    } catch (const std::filesystem::filesystem_error& error) {
      wrong = error.code().message();
    }
    std::strncpy(choice.path, path.c_str(), sizeof choice.path - 1);
    std::strncpy(choice.obstacle, wrong.c_str(), sizeof choice.obstacle - 1);
  }
  broadcast(world, choice);
  path_ = choice.path;
  if (choice.obstacle[0] != '\0') {
    throw Unavailable("cannot write " + path_ + ": " + choice.obstacle + ": " +
                      temporary_folder_advice());
  }
  if (owner_) watch();
}

// The child waits for the end of this process, which closes the pipe, and then removes the file:
// a rank that is killed can do nothing any more.
void TemporaryFile::watch() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  }
  std::string shell = "/bin/sh";
  std::string option = "-c";
  std::string script = R"(trap '' HUP INT TERM; read -r _; rm -f -- "$0")";
  char* words[] = {shell.data(), option.data(), script.data(), path_.data(), nullptr};
  std::string search = "PATH=/usr/bin:/bin";
  char* environment[] = {search.data(), nullptr};
  if (posix_spawn(&child_, shell.c_str(), &actions, nullptr, words, environment) != 0) child_ = -1;
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  pipe_ = ends[1];
}

TemporaryFile::~TemporaryFile() {
  if (!owner_) return;
  ::unlink(path_.c_str());
  if (pipe_ >= 0) ::close(pipe_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

}  // namespace leadline::probe
