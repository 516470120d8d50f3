// What the rank had done by and by: its sums at the ends of slices of its time, which become twice
// as long each time that there is no room for more.
#pragma once

#include "runtime/explain/observer/format.hpp"

namespace leadline::explain {

// A call that has ended, as the sums have it.
struct Counted {
  u64 ended, took, waiting;
};

// Where the observation begins.
void begin_marks();

// Of the thread that began the observation, behind a call in which a slice has ended.
void note_marks(const Counted& last);

}  // namespace leadline::explain
