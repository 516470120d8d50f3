// What this process called, counted as long as LEADLINE_REPORT asks for it.
//
// Memory does not grow: what finds no room is counted under kOther. Safe in any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/engine/settings.hpp"
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
  bool weighed = false;   // whether `bytes` is known
  std::size_t bytes = 0;  // of one rank's data, as the benchmark of the collective counts
  double library_s = 0;   // of such a call, as the profile has it
  double algorithm_s = 0;
};

// Counts a call that took so many ticks.
void record(const Call& call, std::uint64_t duration);

struct Counted {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t ticks = 0;
  double saved_s = 0;
};

// Calls of one function on communicators of one shape, of one class of sizes: those with as many
// bits.
struct CountedClass {
  Call call;  // of the class
  Counted counted;
};

struct Ledger {
  std::vector<CountedClass> classes;
  std::uint64_t calls_of_no_row = 0;
  double seconds = 0;  // since the first call was counted
  double seconds_per_tick = 0;
};

// What was counted so far.
Ledger read_ledger();

// The range of bytes of a class of sizes, inclusive.
std::size_t least_of_class(std::size_t bytes);
std::size_t most_of_class(std::size_t bytes);

}  // namespace leadline::runtime
