// All functions that leadline may replace, with the number of their arguments.
#include "runtime/preload/counted.hpp"
#include "runtime/preload/entry.hpp"
#include "runtime/preload/noted.hpp"

namespace leadline::runtime {

LEADLINE_ENTRY(mpi_engine, MPI_Allgather, 7)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Allgather_c, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Allgatherv, 8)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Allgatherv_c, 8)
LEADLINE_ENTRY(mpi_engine, MPI_Allreduce, 6)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Allreduce_c, 6)
LEADLINE_ENTRY(mpi_engine, MPI_Alltoall, 7)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Alltoall_c, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Alltoallv, 9)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Alltoallv_c, 9)
LEADLINE_ENTRY(mpi_engine, MPI_Barrier, 1)
LEADLINE_ENTRY(mpi_engine, MPI_Bcast, 5)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Bcast_c, 5)
LEADLINE_ENTRY(mpi_engine, MPI_Exscan, 6)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Exscan_c, 6)
LEADLINE_ENTRY(mpi_engine, MPI_File_open, 5)
LEADLINE_ENTRY(mpi_engine, MPI_Finalize, 0)
LEADLINE_ENTRY(mpi_engine, MPI_Gather, 8)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Gather_c, 8)
LEADLINE_ENTRY(mpi_engine, MPI_Gatherv, 9)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Gatherv_c, 9)
LEADLINE_ENTRY(mpi_engine, MPI_Neighbor_allgather, 7)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Neighbor_allgather_c, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Neighbor_allgatherv, 8)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Neighbor_allgatherv_c, 8)
LEADLINE_ENTRY(mpi_engine, MPI_Neighbor_alltoall, 7)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Neighbor_alltoall_c, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Neighbor_alltoallv, 9)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Neighbor_alltoallv_c, 9)
LEADLINE_ENTRY(mpi_engine, MPI_Reduce, 7)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Reduce_c, 7)
LEADLINE_ENTRY(mpi_engine, MPI_Reduce_scatter, 6)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Reduce_scatter_c, 6)
LEADLINE_ENTRY(mpi_engine, MPI_Reduce_scatter_block, 6)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Reduce_scatter_block_c, 6)
LEADLINE_ENTRY(mpi_engine, MPI_Scan, 6)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Scan_c, 6)
LEADLINE_ENTRY(mpi_engine, MPI_Scatter, 8)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Scatter_c, 8)
LEADLINE_ENTRY(mpi_engine, MPI_Scatterv, 9)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Scatterv_c, 9)

#define LEADLINE_COUNTED_ENTRY(name, count, reason) LEADLINE_NOTED_ENTRY(mpi_engine, name, count)
LEADLINE_COUNTED(LEADLINE_COUNTED_ENTRY)

}  // namespace leadline::runtime
