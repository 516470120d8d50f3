#include "runtime/explain/observer/kernel.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/shared/ticks.hpp"

namespace leadline::explain {
namespace {

// They are read once more when the program's end has destroyed what is static.
std::string& schedstat = *new std::string;
pid_t owner = 0;
FromKernel before;

std::string schedstat_of(const std::string& thread) {
  return "/proc/self/task/" + thread + "/schedstat";
}

// The whole of a short file; empty where there is none. It takes no memory: the program's limit may
// be near.
template <std::size_t kRoom>
bool read_short(const char* path, char (&text)[kRoom]) {
  const int error = errno;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
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
  if (!read_short(path.c_str(), text)) return std::nullopt;
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
// Of a control group that has a quota: this process's own or one above it.
struct Throttled {
  char file[4200] = "";
  u64 us = 0;
};

u64 spent(const Quotas& quotas, const char* file) {
  char text[1024];
  if (!read_short(file, text)) return 0;
  const char* const found = std::strstr(text, quotas.spent);
  if (found == nullptr) return 0;
  return std::strtoull(found + std::strlen(quotas.spent), nullptr, 10) / quotas.per_us;
}

// A group may get a quota at any time, and a process another group.
bool find_throttled(Throttled& found) {
  char groups[4096];
  if (!read_short("/proc/self/cgroup", groups)) return false;
  for (const Quotas& each : kQuotas) {
    char* const own = std::strstr(groups, each.hierarchy);
    if (own == nullptr) continue;
    char path[4096];
    std::snprintf(path, sizeof path, "%s", own + std::strlen(each.hierarchy));
    path[std::strcspn(path, "\n")] = '\0';
    while (path[0] == '/') {
      char quota[64];
      std::snprintf(found.file, sizeof found.file, "%s%s%s", each.mounted, path, each.quota);
      if (read_short(found.file, quota) && quota[0] != each.none) {
        std::snprintf(found.file, sizeof found.file, "%s%s/cpu.stat", each.mounted, path);
        found.us = spent(each, found.file);
        return true;
      }
      char* const last = std::strrchr(path, '/');
      last[last == path && path[1] != '\0' ? 1 : 0] = '\0';
    }
  }
  return false;
}

// In all groups that this process has been in, since the first time.
u64 read_throttled() {
  static Throttled before;
  static u64 sum = 0;
  Throttled now;
  if (!find_throttled(now)) return sum;
  if (std::strcmp(now.file, before.file) == 0 && now.us > before.us) sum += now.us - before.us;
  before = now;
  return sum;
}

// What a hypervisor has withheld of the core, as /proc/stat counts it.
std::optional<u64> read_stolen(int core) {
  // The lines of all cores come before, each of less than 128 bytes.
  static char text[1 << 16];
  if (!read_short("/proc/stat", text)) return std::nullopt;
  char name[24];
  std::snprintf(name, sizeof name, "\ncpu%d ", core);
  const char* at = std::strstr(text, name);
  if (at == nullptr) return std::nullopt;
  at += std::strlen(name);
  // Behind user, nice, system, idle, iowait, irq and softirq.
  constexpr int kBefore = 7;
  u64 ticks = 0;
  for (int i = 0; i <= kBefore; ++i) {
    char* rest = nullptr;
    ticks = std::strtoull(at, &rest, 10);
    at = rest;
  }
  return ticks * 1'000'000 / static_cast<u64>(sysconf(_SC_CLK_TCK));
}

// Of the cores that this thread has been on, since the first time: what it did not stay on from one
// time to the next tells nothing.
u64 sum_stolen() {
  static int before_on = -1;
  static std::optional<u64> before;
  static u64 sum = 0;
  const int core = sched_getcpu();
  const std::optional<u64> now = read_stolen(core);
  if (core == before_on && before && now > before) sum += *now - *before;
  before_on = core;
  before = now;
  return sum;
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
  found.stolen_us = sum_stolen();
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
  now.probe_ticks = probe();
  return now;
}

}  // namespace leadline::explain
