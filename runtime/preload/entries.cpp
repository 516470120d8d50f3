// The functions of MPI that the library stands before, as C programs call them.
#include "runtime/preload/functions.hpp"
#include "runtime/preload/noted.hpp"
#include "runtime/shared/entry.hpp"

std::atomic<bool> leadline_traffic{false};

namespace leadline::runtime {

#define LEADLINE_PLAIN(Name, name, NAME, count) LEADLINE_ENTRY(mpi_engine, MPI_##Name, count)
#define LEADLINE_BOTH(Name, name, NAME, count) \
  LEADLINE_PLAIN(Name, name, NAME, count)      \
  LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_##Name##_c, count)

LEADLINE_COLLECTIVES(LEADLINE_BOTH)
LEADLINE_OTHERS(LEADLINE_PLAIN)
LEADLINE_BEGINNINGS(LEADLINE_PLAIN)
LEADLINE_MPI_4_ENTRY(LEADLINE_ENTRY, MPI_Session_init, 4)

#define LEADLINE_NOTED(Name, name, NAME, count) LEADLINE_NOTED_ENTRY(mpi_engine, MPI_##Name, count)
#define LEADLINE_NOTED_BOTH(Name, name, NAME, count) \
  LEADLINE_NOTED(Name, name, NAME, count)            \
  LEADLINE_MPI_4_ENTRY(LEADLINE_NOTED_ENTRY, MPI_##Name##_c, count)
#define LEADLINE_NOTED_NEW(Name, name, NAME, count) \
  LEADLINE_MPI_4_ENTRY(LEADLINE_NOTED_ENTRY, MPI_##Name, count)

LEADLINE_TRANSFERS(LEADLINE_NOTED_BOTH)
LEADLINE_ATOMICS(LEADLINE_NOTED)
LEADLINE_STARTS(LEADLINE_NOTED)
LEADLINE_NEW_TRANSFERS(LEADLINE_NOTED_NEW)

}  // namespace leadline::runtime
