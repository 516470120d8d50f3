// The reports of all ranks, brought together by MPI.
#pragma once

#include <mpi.h>

#include "runtime/report/rows.hpp"

namespace leadline::runtime {

// Collective over `comm`, in O(log P) steps. Returns an MPI error code; rank 0 has the report of
// all, or of those that it could get.
int gather(Report& report, MPI_Comm comm);

}  // namespace leadline::runtime
