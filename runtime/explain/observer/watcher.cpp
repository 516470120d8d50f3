#include "runtime/explain/observer/watcher.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

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
  for (const char* const name : {"LD_PRELOAD=", "LEADLINE_JOBS=", "LEADLINE_ADDED="}) {
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
};

// In the new process, which has this one's memory until it is another program: nothing here may
// take memory or locks, and no handler of the program's signals may run.
int become_watcher(void* argument) {
  const auto& start = *static_cast<const Start*>(argument);
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &usual, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // What ends the program's group or terminal is not to end who tells of it.
  setsid();
  fcntl(start.memory, F_SETFD, 0);
  execve(start.file.c_str(), start.words.data(), start.environment.data());
  _exit(1);
}

}  // namespace

void start_watcher(int memory, const JobPlace& place, const std::string& head) {
  const char* const wanted = std::getenv(kVariable);
  if (wanted == nullptr || *wanted == '\0' || memory < 0) return;
  const int error = errno;
  std::vector<std::string> words = {"leadline-watch", wanted,        std::to_string(memory),
                                    place.folder,     place.days[0], place.days[1],
                                    place.days[2],    place.name,    head};
  Start start{.file = program(), .words = pointers(words), .environment = {}, .memory = memory};
  for (char** each = environ; *each != nullptr; ++each) {
    if (!is_for_ranks_alone(*each)) start.environment.push_back(*each);
  }
  start.environment.push_back(nullptr);
  constexpr std::size_t kStack = 65536;
  void* const stack =
      mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  // Whose end no signal tells, and no wait of the program's for any child: it is not the program's.
  // The program goes on when the new process is another one.
  clone(become_watcher, static_cast<std::byte*>(stack) + kStack, CLONE_VM | CLONE_VFORK, &start);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  munmap(stack, kStack);
  errno = error;
}

}  // namespace leadline::explain
