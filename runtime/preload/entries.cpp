// All functions that leadline may replace, with the number of their arguments.
#include "runtime/preload/entry.hpp"

namespace leadline {

LEADLINE_ENTRY(mpi_engine, MPI_Allgather, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Allreduce, 6)
LEADLINE_ENTRY(mpi_engine, MPI_Alltoall, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Barrier, 1)
LEADLINE_ENTRY(mpi_engine, MPI_Bcast, 5)
LEADLINE_ENTRY(mpi_engine, MPI_Reduce, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Reduce_scatter_block, 6)

}  // namespace leadline
