// Open MPI's Fortran calls its C functions by their PMPI names, which nobody else can define.
#include "runtime/fortran/entries.hpp"

namespace leadline::runtime {

LEADLINE_FORTRAN_ENTRIES(allgather, ALLGATHER, 8)
LEADLINE_FORTRAN_ENTRIES(allreduce, ALLREDUCE, 7)
LEADLINE_FORTRAN_ENTRIES(alltoall, ALLTOALL, 8)
LEADLINE_FORTRAN_ENTRIES(barrier, BARRIER, 2)
LEADLINE_FORTRAN_ENTRIES(bcast, BCAST, 6)
LEADLINE_FORTRAN_ENTRIES(file_open, FILE_OPEN, 7)
LEADLINE_FORTRAN_ENTRIES(finalize, FINALIZE, 1)
LEADLINE_FORTRAN_ENTRIES(reduce, REDUCE, 8)
LEADLINE_FORTRAN_ENTRIES(reduce_scatter_block, REDUCE_SCATTER_BLOCK, 7)

}  // namespace leadline::runtime
