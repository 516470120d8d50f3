// A process that takes a core from others: busy CORE WORK_MS EVERY_MS works for WORK_MS of every
// EVERY_MS milliseconds on that core, until it is ended.
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

double seconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void sleep_until(double time) {
  timespec until;
  until.tv_sec = static_cast<time_t>(time);
  until.tv_nsec = static_cast<long>(1e9 * (time - static_cast<double>(until.tv_sec)));
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const double work = argc == 4 ? 1e-3 * std::atof(argv[2]) : 0.0;
  const double every = argc == 4 ? 1e-3 * std::atof(argv[3]) : 0.0;
  if (work <= 0.0 || every < work) {
    std::fprintf(stderr, "usage: busy CORE WORK_MS EVERY_MS\n");
    return 2;
  }
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(std::atoi(argv[1]), &core);
  if (sched_setaffinity(0, sizeof core, &core) != 0) {
    std::perror("busy: cannot use that core");
    return 2;
  }
  for (double next = seconds();; next += every) {
    sleep_until(next);
    const double end = seconds() + work;
    while (seconds() < end) continue;
  }
}
