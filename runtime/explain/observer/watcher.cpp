#include "runtime/explain/observer/watcher.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

// In the half that is preloaded.
extern "C" bool leadline_explain_has_errors;

namespace leadline::explain {
namespace {

constexpr char kVariable[] = "LEADLINE_EXPLAIN_WATCH";

// Beside this library.
std::string program() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&start_watcher), &own) == 0) return "";
  const std::string file = own.dli_fname != nullptr ? own.dli_fname : "";
  return file.substr(0, file.rfind('/') + 1) + "leadline-watch";
}

bool is_for_ranks_alone(const char* variable) {
  for (const char* const name :
       {"LD_PRELOAD=", "LEADLINE_JOBS=", "LEADLINE_EXPLAIN=", "LEADLINE_ADDED="}) {
    if (std::strncmp(variable, name, std::strlen(name)) == 0) return true;
  }
  return false;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> found;
  for (std::string& each : words) found.push_back(each.data());
  found.push_back(nullptr);
  return found;
}

struct Start {
  std::string file;
  std::vector<char*> words;
  std::vector<char*> environment;
  int memory;
  std::byte* stack;  // of the second process
};

// In new processes, which have this one's memory until they are another program or have ended:
// nothing here may take memory or locks, and no handler of the program's signals may run. They stay
// blocked until then: a library may note in that memory which handlers there are.
int become_watcher(void* argument) {
  const auto& start = *static_cast<const Start*>(argument);
  // What ends the program's group or terminal is not to end who tells of it.
  setsid();
  fcntl(start.memory, F_SETFD, 0);
  // What has its number is a file of the program's.
  if (!leadline_explain_has_errors) close(STDERR_FILENO);
  execve(start.file.c_str(), start.words.data(), start.environment.data());
  _exit(1);
}

int start_and_leave(void* argument) {
  auto& start = *static_cast<Start*>(argument);
  clone(become_watcher, start.stack, CLONE_VM | CLONE_VFORK, argument);
  _exit(0);
}

}  // namespace

void start_watcher(int memory, const JobPlace& place, const std::string& head) {
  const char* const wanted = std::getenv(kVariable);
  if (wanted == nullptr || *wanted == '\0' || memory < 0) return;
  const int error = errno;
  // One that takes orphans for its children would get this one.
  int takes_orphans = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &takes_orphans);
  if (takes_orphans != 0 || getpid() == 1) return;
  // A program without standard streams has their numbers for its files.
  const int held = fcntl(memory, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (held < 0) return;
  std::vector<std::string> words = {"leadline-watch",     wanted,        std::to_string(getpid()),
                                    std::to_string(held), place.folder,  place.days[0],
                                    place.days[1],        place.days[2], place.name,
                                    place.number,         head};
  constexpr std::size_t kStack = 65536;
  void* const stacks = mmap(nullptr, 2 * kStack, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stacks == MAP_FAILED) {
    close(held);
    return;
  }
  auto* const first = static_cast<std::byte*>(stacks) + kStack;
  Start start{.file = program(),
              .words = pointers(words),
              .environment = {},
              .memory = held,
              .stack = first + kStack};
  for (char** each = environ; *each != nullptr; ++each) {
    if (!is_for_ranks_alone(*each)) start.environment.push_back(*each);
  }
  start.environment.push_back(nullptr);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  // It is no child of the program's, which may wait for any: a process starts it and ends at once,
  // whose end no signal tells.
  const int starter = clone(start_and_leave, first, CLONE_VM | CLONE_VFORK, &start);
  if (starter > 0) waitpid(starter, nullptr, __WALL);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  munmap(stacks, 2 * kStack);
  close(held);
  errno = error;
}

}  // namespace leadline::explain
