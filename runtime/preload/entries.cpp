// All functions that leadline may replace, with the number of their arguments.
#include "runtime/preload/counted.hpp"
#include "runtime/preload/entry.hpp"

namespace leadline::runtime {

LEADLINE_ENTRY(mpi_engine, MPI_Allgather, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Allgather_c, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Allreduce, 6)
LEADLINE_ENTRY(mpi_engine, MPI_Allreduce_c, 6)
LEADLINE_ENTRY(mpi_engine, MPI_Alltoall, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Alltoall_c, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Barrier, 1)
LEADLINE_ENTRY(mpi_engine, MPI_Bcast, 5)
LEADLINE_ENTRY(mpi_engine, MPI_Bcast_c, 5)
LEADLINE_ENTRY(mpi_engine, MPI_File_open, 5)
LEADLINE_ENTRY(mpi_engine, MPI_Finalize, 0)
LEADLINE_ENTRY(mpi_engine, MPI_Reduce, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Reduce_c, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Reduce_scatter_block, 6)
LEADLINE_ENTRY(mpi_engine, MPI_Reduce_scatter_block_c, 6)

#define LEADLINE_COUNTED_ENTRY(name, count, reason) LEADLINE_ENTRY(mpi_engine, name, count)
LEADLINE_COUNTED(LEADLINE_COUNTED_ENTRY)

}  // namespace leadline::runtime
