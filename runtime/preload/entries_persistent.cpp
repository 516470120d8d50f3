// Persistent collectives, and all functions that start, complete or free a request: programs use
// the same ones for requests of every kind.
#ifdef LEADLINE_PERSISTENT
#include "runtime/preload/entry.hpp"
#include "runtime/preload/persistent.hpp"
#include "runtime/preload/traffic.hpp"

namespace leadline::runtime {

#define LEADLINE_OTHER(Name, name, NAME, count) LEADLINE_ENTRY(mpi_engine, MPI_##Name, count)
LEADLINE_PERSISTENT_INITS(LEADLINE_OTHER)
LEADLINE_REQUEST_STARTS(LEADLINE_OTHER)
LEADLINE_COMPLETIONS(LEADLINE_OTHER)
#ifdef LEADLINE_MPI_4_1
LEADLINE_NEW_COMPLETIONS(LEADLINE_OTHER)
#endif

#define LEADLINE_LARGE(Name, name, NAME, count) \
  LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_##Name##_c, count)
LEADLINE_PERSISTENT_MOVES(LEADLINE_LARGE)

}  // namespace leadline::runtime
#endif
