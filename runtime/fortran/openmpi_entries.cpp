// Open MPI's Fortran calls its C functions by their PMPI names, which nobody else can define.
#include "runtime/preload/functions.hpp"
#include "runtime/preload/noted.hpp"
#include "runtime/shared/entry.hpp"

namespace leadline::runtime {

// Each way in which compilers write Fortran's `mpi_name` (`MPI_NAME` in capitals), and what Open
// MPI's module mpi_f08 calls, as entries of the kind ENTRY. `count` has ierror in it, which C's
// functions have not.
#define LEADLINE_FORTRAN(ENTRY, name, NAME, count) \
  ENTRY(mpi_engine, mpi_##name, count)             \
  ENTRY(mpi_engine, mpi_##name##_, count)          \
  ENTRY(mpi_engine, mpi_##name##__, count)         \
  ENTRY(mpi_engine, MPI_##NAME, count)             \
  ENTRY(mpi_engine, ompi_##name##_f, count)
#define LEADLINE_PLAIN(Name, name, NAME, count) \
  LEADLINE_FORTRAN(LEADLINE_ENTRY, name, NAME, LEADLINE_AFTER_##count)
#define LEADLINE_NOTED(Name, name, NAME, count) \
  LEADLINE_FORTRAN(LEADLINE_NOTED_ENTRY, name, NAME, LEADLINE_AFTER_##count)

LEADLINE_COLLECTIVES(LEADLINE_PLAIN)
LEADLINE_OTHERS(LEADLINE_PLAIN)
LEADLINE_TRANSFERS(LEADLINE_NOTED)
LEADLINE_ATOMICS(LEADLINE_NOTED)
LEADLINE_STARTS(LEADLINE_NOTED)

}  // namespace leadline::runtime
