// What this process called, counted as long as LEADLINE_REPORT asks for it.
//
// Memory does not grow: of what finds no room the calls are counted. Safe in any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/engine/settings.hpp"
#include "runtime/report/rows.hpp"
#include "runtime/shared/ticks.hpp"

namespace leadline::runtime {

// Whether calls are counted; all else here costs nothing unless they are.
inline const bool kReporting = *runtime_settings().report != '\0';

// One call. Texts live as long as the program.
struct Call {
  const char* function;             // as the program calls it
  const char* algorithm = nullptr;  // nullptr: the library's own
  const char* reason = nullptr;     // why it was the library's own
  int processes = 0;                // of the communicator; 0: unknown, as all of these
  int nodes = 0;
  bool has_bytes = false;  // whether `bytes` is known
  std::size_t bytes = 0;   // of one rank's data, as the benchmark of the collective counts
  double saved_s = 0;      // at least, as this process measured it; 0: not known
};

// Counts a call that took so many ticks.
void record(const Call& call, std::uint64_t duration);

// What this process called so far, and the files that it opened.
Report own_report();

}  // namespace leadline::runtime
