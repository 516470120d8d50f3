// What is said right before a process ends its job.
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

namespace leadline::runtime {

// Prints "leadline: LINE" on standard error, and waits until launchers have read it: MPICH's drops
// what is still in its pipes when a rank aborts.
__attribute__((format(printf, 1, 2))) inline void say_last_words(const char* format, ...) {
  char line[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(line, sizeof line, format, values);
  va_end(values);
  fprintf(stderr, "leadline: %s\n", line);
  constexpr long kReadBy = 100'000'000;  // ns
  const timespec wait{0, kReadBy};
  nanosleep(&wait, nullptr);
}

}  // namespace leadline::runtime
