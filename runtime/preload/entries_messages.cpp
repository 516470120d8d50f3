// Receives, whose data leadline may unpack. Sends are among the entries that note traffic.
#include "runtime/preload/entry.hpp"

namespace leadline::runtime {

LEADLINE_ENTRY(mpi_engine, MPI_Recv, 7)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Recv_c, 7)

}  // namespace leadline::runtime
