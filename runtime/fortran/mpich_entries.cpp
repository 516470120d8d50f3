// MPICH's Fortran, and Intel MPI's, calls C's MPI_Allreduce and so on, which have entries. In
// module mpi_f08 that is not so for what has no choice of buffers.
#include "runtime/preload/entry.hpp"
#include "runtime/preload/nonblocking.hpp"
#include "runtime/preload/noted.hpp"
#include "runtime/preload/persistent.hpp"
#include "runtime/preload/requests.hpp"
#include "runtime/preload/traffic.hpp"

namespace leadline::runtime {

LEADLINE_ENTRY(mpi_engine, mpi_barrier_f08_, 2)
LEADLINE_ENTRY(mpi_engine, mpi_file_open_f08_, 7)
LEADLINE_ENTRY(mpi_engine, mpi_finalize_f08_, 1)

// With ierror, which C's functions have not.
#define LEADLINE_F08_ENTRY(name, count) LEADLINE_NOTED_ENTRY(mpi_engine, name, count)
#define LEADLINE_F08_NOTED(Name, name, NAME, count) \
  LEADLINE_F08_ENTRY(mpi_##name##_f08_, LEADLINE_AFTER_##count)

LEADLINE_STARTS(LEADLINE_F08_NOTED)

#define LEADLINE_F08_PLAIN_ENTRY(name, count) LEADLINE_ENTRY(mpi_engine, name, count)
#define LEADLINE_F08_OTHER(Name, name, NAME, count) \
  LEADLINE_F08_PLAIN_ENTRY(mpi_##name##_f08_, LEADLINE_AFTER_##count)
LEADLINE_F08_OTHER(Ibarrier, ibarrier, IBARRIER, 2)
LEADLINE_REQUEST_STARTS(LEADLINE_F08_OTHER)
LEADLINE_COMPLETIONS(LEADLINE_F08_OTHER)
#ifdef LEADLINE_PERSISTENT
LEADLINE_F08_OTHER(Barrier_init, barrier_init, BARRIER_INIT, 3)
#endif

}  // namespace leadline::runtime
