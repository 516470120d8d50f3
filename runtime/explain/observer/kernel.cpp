#include "runtime/explain/observer/kernel.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/shared/ticks.hpp"

namespace leadline::explain {
namespace {

// They are read once more when the program's end has destroyed what is static.
std::string& schedstat = *new std::string;
pid_t owner = 0;
std::string& cpu_stat = *new std::string;
FromKernel before;

std::string schedstat_of(const std::string& thread) {
  return "/proc/self/task/" + thread + "/schedstat";
}

// The whole of a short file; empty where there is none. It takes no memory: the program's limit may
// be near.
template <std::size_t kRoom>
bool read_short(const std::string& path, char (&text)[kRoom]) {
  const int error = errno;
  const int file = path.empty() ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t got = file >= 0 ? read(file, text, kRoom - 1) : -1;
  if (file >= 0) close(file);
  errno = error;
  text[std::max<ssize_t>(got, 0)] = '\0';
  return got > 0;
}

struct Sched {
  u64 ran_ns = 0;
  u64 queued_ns = 0;
};

std::optional<Sched> ask_schedstat(const std::string& path) {
  char text[128];
  if (!read_short(path, text)) return std::nullopt;
  char* rest = text;
  const u64 ran = std::strtoull(text, &rest, 10);
  if (rest == text) return std::nullopt;
  return Sched{.ran_ns = ran, .queued_ns = std::strtoull(rest, nullptr, 10)};
}

// How control groups give a quota of processor time, and count what it has cost.
struct Quotas {
  const char* hierarchy;  // in /proc/self/cgroup, before the group's path
  const char* mounted;
  const char* quota;
  char none;          // how it begins where there is none
  const char* spent;  // in cpu.stat
  u64 per_us;
};
constexpr Quotas kQuotas[] = {
    {"0::", "/sys/fs/cgroup", "/cpu.max", 'm', "throttled_usec ", 1},
    {":cpu:", "/sys/fs/cgroup/cpu", "/cpu.cfs_quota_us", '-', "throttled_time ", 1000},
    {":cpu,cpuacct:", "/sys/fs/cgroup/cpu,cpuacct", "/cpu.cfs_quota_us", '-', "throttled_time ",
     1000},
};
const Quotas* quotas = nullptr;

// The file of the group that has a quota: this process's own or one above it. Empty where none has.
std::string find_cpu_stat() {
  char groups[4096];
  if (!read_short("/proc/self/cgroup", groups)) return "";
  for (const Quotas& each : kQuotas) {
    const char* const own = std::strstr(groups, each.hierarchy);
    if (own == nullptr) continue;
    const char* const begin = own + std::strlen(each.hierarchy);
    std::string path(begin, strcspn(begin, "\n"));
    while (path.starts_with('/')) {
      const std::string folder = each.mounted + path;
      char quota[64];
      if (read_short(folder + each.quota, quota) && quota[0] != each.none) {
        quotas = &each;
        return folder + "/cpu.stat";
      }
      const std::size_t parent = path.rfind('/');
      path.resize(parent == 0 && path.size() > 1 ? 1 : parent);
    }
  }
  return "";
}

u64 read_throttled() {
  char text[1024];
  if (!read_short(cpu_stat, text)) return 0;
  const char* const found = std::strstr(text, quotas->spent);
  if (found == nullptr) return 0;
  return std::strtoull(found + std::strlen(quotas->spent), nullptr, 10) / quotas->per_us;
}

// Of multiplications that need one another, whatever else the core has to do: the best of some, for
// one may be interrupted.
u64 probe() {
  constexpr int kMultiplications = 512;
  constexpr int kTimes = 4;
  u64 best = ~u64{0};
  u64 value = 3;
  for (int i = 0; i < kTimes; ++i) {
    const u64 begun = runtime::ticks();
    for (int k = 0; k < kMultiplications; ++k) {
      value *= 5;
      asm volatile("" : "+r"(value));
    }
    best = std::min(best, runtime::ticks() - begun);
  }
  return best;
}

FromKernel read_all() {
  FromKernel found;
  found.queued_ns = read_queued().value_or(0);
  found.throttled_us = read_throttled();
  return found;
}

}  // namespace

std::optional<u64> read_queued() {
  const auto found = ask_schedstat(schedstat);
  return found ? std::optional(found->queued_ns) : std::nullopt;
}

void begin_asking_kernel() {
  owner = gettid();
  schedstat = schedstat_of(std::to_string(owner));
  cpu_stat = find_cpu_stat();
  before = read_all();
}

Threads ask_other_threads() {
  // One that has computed for less of the owner's time waits for something.
  constexpr u64 kParts = 50;
  const int error = errno;
  Threads found{};
  const u64 own_ns = ask_schedstat(schedstat).value_or(Sched{}).ran_ns;
  cpu_set_t may_use;
  CPU_ZERO(&may_use);
  DIR* const threads = opendir("/proc/self/task");
  errno = error;
  if (threads == nullptr) return found;
  while (const dirent* const entry = readdir(threads)) {
    const auto thread = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    const Sched its = ask_schedstat(schedstat_of(entry->d_name)).value_or(Sched{});
    cpu_set_t its_cores;
    if (thread <= 0 || (thread != owner && its.ran_ns * kParts <= own_ns)) continue;
    if (sched_getaffinity(thread, sizeof its_cores, &its_cores) != 0) continue;
    CPU_OR(&may_use, &may_use, &its_cores);
    if (thread == owner) continue;
    ++found.workers;
    found.wanted_ns += its.ran_ns + its.queued_ns;
  }
  closedir(threads);
  errno = error;
  found.cores = static_cast<u32>(CPU_COUNT(&may_use));
  return found;
}

FromKernel ask_kernel() {
  FromKernel now = read_all();
  now.queued_ns -= std::min(now.queued_ns, before.queued_ns);
  now.throttled_us -= std::min(now.throttled_us, before.throttled_us);
  now.probe_ticks = probe();
  return now;
}

}  // namespace leadline::explain
