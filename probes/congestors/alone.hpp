// A congestor as a job of its own, beside whatever else runs on the machine.
#pragma once

#include "harness/probe.hpp"

namespace leadline::probe {

// Collective over MPI_COMM_WORLD: runs the congestor that the arguments name for so many seconds,
// or until the launcher ends it. Rank 0 writes an event `congesting` about once a second, the first
// when it has moved its first bytes. Returns the exit status; on a failure prints one line and ends
// all ranks.
int congest_alone(const Arguments& arguments);

}  // namespace leadline::probe
