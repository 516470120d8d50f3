#include "comm/host.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace leadline::probe {
namespace {

// "0-3,8" of the cores in the set.
std::string core_list(const cpu_set_t& set) {
  std::string list;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    list.append(list.empty() ? "" : ",").append(std::to_string(first));
    if (last > first) list.append("-").append(std::to_string(last));
    first = last;
  }
  return list;
}

}  // namespace

double monotonic_seconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

const char* monotonic_source() { return "clock_gettime(CLOCK_MONOTONIC)"; }

KernelClock host_clock() {
  static const KernelClock clock = [] {
    KernelClock found;
    std::string boot;
    if (std::ifstream file("/proc/sys/kernel/random/boot_id"); std::getline(file, boot)) {
      std::erase(boot, '-');
      found.kernel = std::strtoull(boot.substr(0, 16).c_str(), nullptr, 16);
    }
    std::ifstream offsets("/proc/self/timens_offsets");
    double seconds = 0.0;
    double nanoseconds = 0.0;
    for (std::string name; offsets >> name >> seconds >> nanoseconds;) {
      if (name == "monotonic" || name == "1") found.ahead = seconds + 1e-9 * nanoseconds;
    }
    return found;
  }();
  return clock;
}

int host_number() { return 0; }

double spin_until(double time) {
  double now = monotonic_seconds();
  while (now < time) now = monotonic_seconds();
  return now;
}

Counters thread_counters() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return {.involuntary_switches = usage.ru_nivcsw,
          .voluntary_switches = usage.ru_nvcsw,
          .page_faults = usage.ru_minflt + usage.ru_majflt,
          .cpu = sched_getcpu()};
}

double thread_waited() {
  // Of this thread alone, in nanoseconds: time on a core, time waiting for one, times on a core.
  std::ifstream file("/proc/thread-self/schedstat");
  double running = 0.0;
  double waiting = 0.0;
  return file >> running >> waiting ? 1e-9 * waiting : 0.0;
}

double core_stolen() {
  const std::string core = "cpu" + std::to_string(sched_getcpu());
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::array<double, 8> ticks{};  // user nice system idle iowait irq softirq steal
    if (!(words >> name) || name != core) continue;
    for (double& each : ticks) words >> each;
    return words ? ticks.back() / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0.0;
  }
  return 0.0;
}

void enter_host() {}

void settle_host() {}

void leave_host() {}

RankPlace host_place(int rank, int node) {
  RankPlace place;
  place.rank = rank;
  place.node = node;
  place.cpu = sched_getcpu();
  place.pid = static_cast<int>(getpid());
  gethostname(place.host, sizeof place.host - 1);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    const std::string list = core_list(set);
    std::memcpy(place.cpus, list.data(), std::min(list.size(), sizeof place.cpus - 1));
  }
  return place;
}

}  // namespace leadline::probe
