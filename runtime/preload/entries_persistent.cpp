// Persistent collectives.
#ifdef LEADLINE_PERSISTENT
#include "runtime/preload/entry.hpp"
#include "runtime/preload/persistent.hpp"

namespace leadline::runtime {

#define LEADLINE_OTHER(Name, name, NAME, count) LEADLINE_ENTRY(mpi_engine, MPI_##Name, count)
LEADLINE_PERSISTENT_INITS(LEADLINE_OTHER)

#define LEADLINE_LARGE(Name, name, NAME, count) \
  LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_##Name##_c, count)
LEADLINE_PERSISTENT_MOVES(LEADLINE_LARGE)

}  // namespace leadline::runtime
#endif
