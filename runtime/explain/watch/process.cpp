#include "runtime/explain/watch/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace leadline::explain {
namespace {

std::string path_of(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

std::string text_of(int file) {
  constexpr std::size_t kMost = 65536;
  std::string text(4096, '\0');
  std::size_t length = 0;
  while (length < kMost) {
    text.resize(length + 4096);
    const ssize_t got = pread(file, text.data() + length, 4096, static_cast<off_t>(length));
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  return text;
}

int open_file(const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC); }

std::string text_of(const std::string& path) {
  const int file = open_file(path);
  if (file < 0) return "";
  std::string text = text_of(file);
  close(file);
  return text;
}

// Of /proc/PID/stat, from the third on: proc(5). The name before may hold anything.
std::vector<std::string> fields_of(const std::string& stat) {
  std::istringstream rest(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::vector<std::string> found;
  for (std::string each; rest >> each;) found.push_back(each);
  return found;
}
constexpr std::size_t kState = 0;
constexpr std::size_t kUserTicks = 11;
constexpr std::size_t kSystemTicks = 12;
constexpr std::size_t kExitCode = 49;

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

// linux/pidfd.h of 6.15: headers of older systems have none of it.
struct Information {
  std::uint64_t mask, group;
  std::uint32_t ids[11];
  std::int32_t exit_code;
};
static_assert(sizeof(Information) == 64);
constexpr std::uint64_t kExit = 8;
constexpr long kOpenProcess = 434;  // Linux 5.3
constexpr unsigned long kGetInformation = _IOWR(0xFF, 11, Information);

}  // namespace

Work work_of(pid_t pid) {
  static const auto kTicks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::vector<std::string> fields = fields_of(text_of(path_of(pid, "stat")));
  if (fields.size() <= kSystemTicks) return {};
  Work work;
  work.state = fields[kState][0];
  work.ran_s = (number(fields[kUserTicks]) + number(fields[kSystemTicks])) / kTicks;
  std::istringstream first(text_of(path_of(pid, "schedstat")));
  double ran_ns = 0;
  double waited_ns = 0;
  if (first >> ran_ns >> waited_ns) {
    work.first_ran_s = 1e-9 * ran_ns;
    work.first_wanted_s = 1e-9 * (ran_ns + waited_ns);
  } else {
    work.first_ran_s = work.first_wanted_s = work.ran_s;
  }
  work.files = text_of(path_of(pid, "io"));
  return work;
}

bool is_ending(pid_t pid) {
  const std::string status = text_of(path_of(pid, "status"));
  if (status.empty()) return true;
  const auto value = [&](const char* name) {
    const std::size_t at = status.find(name);
    return at == std::string::npos ? std::string() : status.substr(at + std::string(name).size());
  };
  const std::string state = value("\nState:\t");
  if (!state.empty() && (state[0] == 'Z' || state[0] == 'X')) return true;
  const std::uint64_t pending = std::strtoull(value("\nShdPnd:\t").c_str(), nullptr, 16) |
                                std::strtoull(value("\nSigPnd:\t").c_str(), nullptr, 16);
  return (pending & std::uint64_t{1} << (SIGKILL - 1)) != 0;
}

bool is_leaving(pid_t pid) {
  constexpr std::size_t kFlags = 6;
  constexpr unsigned long kExiting = 4;  // PF_EXITING, linux/sched.h
  const std::vector<std::string> fields = fields_of(text_of(path_of(pid, "stat")));
  if (fields.size() <= kFlags) return false;
  return (std::strtoul(fields[kFlags].c_str(), nullptr, 10) & kExiting) != 0;
}

pid_t parent_of(pid_t pid) {
  constexpr std::size_t kParent = 1;
  const std::vector<std::string> fields = fields_of(text_of(path_of(pid, "stat")));
  return fields.size() > kParent ? static_cast<pid_t>(number(fields[kParent])) : 0;
}

std::string name_of(pid_t pid) {
  const std::string line = text_of(path_of(pid, "comm"));
  return line.substr(0, line.find('\n'));
}

Process::Process(pid_t pid)
    : pid_(pid),
      descriptor_(static_cast<int>(syscall(kOpenProcess, pid, 0))),
      stat_(open_file(path_of(pid, "stat"))) {}

Process::Process(Process&& other) noexcept
    : pid_(other.pid_), descriptor_(other.descriptor_), stat_(other.stat_) {
  other.descriptor_ = other.stat_ = -1;
}

Process::~Process() {
  if (descriptor_ >= 0) close(descriptor_);
  if (stat_ >= 0) close(stat_);
}

bool Process::has_ended() const {
  if (descriptor_ >= 0) {
    pollfd ended{.fd = descriptor_, .events = POLLIN, .revents = 0};
    return poll(&ended, 1, 0) == 1;
  }
  const std::vector<std::string> fields = fields_of(text_of(stat_));
  return fields.empty() || fields[kState] == "Z" || fields[kState] == "X";
}

std::optional<int> Process::status() const {
  // The file has it until the parent asks, the descriptor a moment later.
  constexpr int kTries = 5;
  constexpr useconds_t kMoment = 1000;
  for (int i = 0; i < kTries; ++i) {
    const std::vector<std::string> fields = fields_of(text_of(stat_));
    if (fields.size() > kExitCode && fields[kState] == "Z") {
      return static_cast<int>(number(fields[kExitCode]));
    }
    Information information{};
    information.mask = kExit;
    if (descriptor_ >= 0 && ioctl(descriptor_, kGetInformation, &information) == 0 &&
        (information.mask & kExit) != 0) {
      return information.exit_code;
    }
    usleep(kMoment);
  }
  return {};
}

unsigned long long ended_for_memory() {
  const std::string all = text_of("/proc/vmstat");
  constexpr char kName[] = "\noom_kill ";
  const std::size_t at = all.find(kName);
  if (at == std::string::npos) return 0;
  return std::strtoull(all.c_str() + at + sizeof kName - 1, nullptr, 10);
}

}  // namespace leadline::explain
