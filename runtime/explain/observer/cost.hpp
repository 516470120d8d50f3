// What observing costs, and how it is kept small.
//
// Of one call in so many the observer's own part is timed, too. Most of it is to look at what
// another rank has written, which comes from another core. Where calls are so short and frequent
// that they cost more than is granted, one in so many of the short ones is looked at, and the
// others are taken to have waited as long: all are counted and timed, but their waiting is an
// estimate.
#pragma once

#include "runtime/explain/observer/format.hpp"

namespace leadline::explain {

// Of the program's time, in a job that is watched with all others, and where somebody asks.
constexpr double kGrantedToAll = 0.005;
constexpr double kGrantedToOne = 0.01;

void begin_costs(double granted);

// Whether the own part of a call of the main thread is to be timed.
bool is_to_be_weighed();
// It took so long, and was over `now`.
void weigh(u64 own_ticks, u64 now);
// So many tests were only counted.
void weigh_untimed(u64 tests);

// For how many calls this one stands, in which so many members are to be looked at; 0: others stand
// for it. All members look at the same calls of a group.
u64 stands_for(u64 number, u64 duration, u64 members);
// How far off the sum of such estimates may be: adds one.
void note_estimate(u32 row, u64 stands_for, u64 ticks);

}  // namespace leadline::explain
