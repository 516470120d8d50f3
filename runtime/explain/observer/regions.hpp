// The parts of its time that the program has marked: MPI_Pcontrol(level) and shmem_pcontrol(level)
// begin one where the level is above 0, and end the one before.
#pragma once

#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {

// Of the thread that began the observation, behind the call that says so.
void begin_region(int level, const Call& call);

// Where the observation ends, and the open region with it.
void end_region(u64 now);

}  // namespace leadline::explain
