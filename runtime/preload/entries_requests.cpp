// Non-blocking collectives, and all functions that start, complete or free a request: programs use
// the same ones for requests of every kind. Where they give the library something to do, the engine
// notes it.
#include "runtime/preload/entry.hpp"
#include "runtime/preload/nonblocking.hpp"
#include "runtime/preload/requests.hpp"

namespace leadline::runtime {

#define LEADLINE_OTHER(Name, name, NAME, count) LEADLINE_ENTRY(mpi_engine, MPI_##Name, count)
LEADLINE_NONBLOCKING(LEADLINE_OTHER)
LEADLINE_REQUEST_STARTS(LEADLINE_OTHER)
LEADLINE_COMPLETIONS(LEADLINE_OTHER)
#ifdef LEADLINE_MPI_4_1
LEADLINE_NEW_COMPLETIONS(LEADLINE_OTHER)
#endif

#define LEADLINE_LARGE(Name, name, NAME, count) \
  LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_##Name##_c, count)
LEADLINE_NONBLOCKING_MOVES(LEADLINE_LARGE)

}  // namespace leadline::runtime
