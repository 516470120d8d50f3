#include "runtime/explain/observer/kernel.hpp"

#include <fcntl.h>
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
std::string& cpu_stat = *new std::string;
FromKernel before;

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
  read_queued(found.queued_ns);
  found.throttled_us = read_throttled();
  return found;
}

}  // namespace

bool read_queued(u64& queued) {
  char text[128];
  if (!read_short(schedstat, text)) return false;
  char* rest = text;
  std::strtoull(text, &rest, 10);  // how long it ran
  queued = std::strtoull(rest, nullptr, 10);
  return rest != text;
}

void begin_asking_kernel() {
  schedstat = "/proc/self/task/" + std::to_string(gettid()) + "/schedstat";
  cpu_stat = find_cpu_stat();
  before = read_all();
}

FromKernel ask_kernel() {
  FromKernel now = read_all();
  now.queued_ns -= std::min(now.queued_ns, before.queued_ns);
  now.throttled_us -= std::min(now.throttled_us, before.throttled_us);
  now.probe_ticks = probe();
  return now;
}

}  // namespace leadline::explain
