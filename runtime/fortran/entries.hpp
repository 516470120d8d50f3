// Entries for Fortran's names of a function.
#pragma once

#include "runtime/preload/entry.hpp"

// Each way in which compilers write Fortran's `mpi_name` (`MPI_NAME` in capitals), and what Open
// MPI's module mpi_f08 calls. `count` has ierror in it.
#define LEADLINE_FORTRAN_ENTRIES(name, NAME, count) \
  LEADLINE_ENTRY(mpi_engine, mpi_##name, count)     \
  LEADLINE_ENTRY(mpi_engine, mpi_##name##_, count)  \
  LEADLINE_ENTRY(mpi_engine, mpi_##name##__, count) \
  LEADLINE_ENTRY(mpi_engine, MPI_##NAME, count)     \
  LEADLINE_ENTRY(mpi_engine, ompi_##name##_f, count)
