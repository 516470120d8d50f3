// What every real world reads from the operating system in the same way.
#pragma once

#include "harness/world.hpp"

namespace leadline::probe {

// CLOCK_MONOTONIC in seconds: one clock for all processes of a node.
double monotonic_seconds();
const char* monotonic_source();

// World::kernel_clock of a rank whose clock is monotonic_seconds(): containers and virtual hosts of
// one kernel share it, except for what a time namespace adds.
KernelClock host_clock();

// Where hosts are simulated, a number that the ranks of a host have in common, and no others.
int host_number();

// Spins until monotonic_seconds() shows `time`. The core is not offered to others meanwhile: they
// would keep it for a whole time slice.
double spin_until(double time);

// This thread's context switches and page faults, and the core it runs on.
Counters thread_counters();

// World::waited and World::stolen of a thread of this host.
double thread_waited();
double core_stolen();

// Host name, allowed cores, core and process number of the caller.
RankPlace host_place(int rank, int node);

// The first call of a rank after MPI_Init, or the like of it. Simulated messages become those of
// the platform.
void enter_host();

// Called by each rank when all have the communicators that the harness needs.
void settle_host();

// The last call of a rank. Simulated ranks, which have their own statics at the same addresses, let
// nothing static be destroyed.
void leave_host();

}  // namespace leadline::probe
