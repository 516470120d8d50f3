// The parts of its time that the program has marked: MPI_Pcontrol(level) and shmem_pcontrol(level)
// begin one where the level is above 0, and end the one before.
#pragma once

#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {

// Of the thread that began the observation: the open one ends before the call that says so is
// counted, or with the observation, and the next one begins behind that.
void end_region(u64 now);
void begin_region(int level, const Call& call);

}  // namespace leadline::explain
