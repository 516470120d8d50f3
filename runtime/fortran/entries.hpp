// Entries for Fortran's names of a function.
#pragma once

#include "runtime/preload/entry.hpp"
#include "runtime/preload/noted.hpp"

// Each way in which compilers write Fortran's `mpi_name` (`MPI_NAME` in capitals), and what Open
// MPI's module mpi_f08 calls, as entries of the kind ENTRY. `count` has ierror in it.
#define LEADLINE_FORTRAN_ENTRIES_OF(ENTRY, name, NAME, count) \
  ENTRY(mpi_engine, mpi_##name, count)                        \
  ENTRY(mpi_engine, mpi_##name##_, count)                     \
  ENTRY(mpi_engine, mpi_##name##__, count)                    \
  ENTRY(mpi_engine, MPI_##NAME, count)                        \
  ENTRY(mpi_engine, ompi_##name##_f, count)
#define LEADLINE_FORTRAN_ENTRIES(name, NAME, count) \
  LEADLINE_FORTRAN_ENTRIES_OF(LEADLINE_ENTRY, name, NAME, count)
