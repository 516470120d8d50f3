// MPICH's Fortran, and Intel MPI's, calls C's MPI_Allreduce and so on, which have entries. In
// module mpi_f08 that is not so for what has no choice of buffers.
#include "runtime/preload/functions.hpp"
#include "runtime/preload/noted.hpp"
#include "runtime/shared/entry.hpp"

namespace leadline::runtime {

// With ierror, which C's functions have not.
#define LEADLINE_F08_ENTRY(ENTRY, name, count) ENTRY(mpi_engine, mpi_##name##_f08_, count)
#define LEADLINE_PLAIN(Name, name, NAME, count) \
  LEADLINE_F08_ENTRY(LEADLINE_ENTRY, name, LEADLINE_AFTER_##count)
#define LEADLINE_NOTED(Name, name, NAME, count) \
  LEADLINE_F08_ENTRY(LEADLINE_NOTED_ENTRY, name, LEADLINE_AFTER_##count)

LEADLINE_OTHERS(LEADLINE_PLAIN)
LEADLINE_STARTS(LEADLINE_NOTED)

}  // namespace leadline::runtime
