// MPICH's Fortran, and Intel MPI's, calls C's MPI_Allreduce and so on, which have entries. In
// module mpi_f08 that is not so for what has no choice of buffers.
#include "runtime/preload/entry.hpp"

namespace leadline::runtime {

LEADLINE_ENTRY(mpi_engine, mpi_barrier_f08_, 2)
LEADLINE_ENTRY(mpi_engine, mpi_file_open_f08_, 7)
LEADLINE_ENTRY(mpi_engine, mpi_finalize_f08_, 1)

}  // namespace leadline::runtime
