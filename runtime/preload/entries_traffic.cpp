// Functions that leadline leaves alone, but for a note that the library has something to do.
#include "runtime/preload/entry.hpp"
#include "runtime/preload/noted.hpp"
#include "runtime/preload/traffic.hpp"

std::atomic<bool> leadline_traffic{false};

namespace leadline::runtime {

#define LEADLINE_TRANSFER(Name, name, NAME, count)    \
  LEADLINE_NOTED_ENTRY(mpi_engine, MPI_##Name, count) \
  LEADLINE_MPI_4_ENTRY(LEADLINE_NOTED_ENTRY, MPI_##Name##_c, count)
#define LEADLINE_OTHER(Name, name, NAME, count) LEADLINE_NOTED_ENTRY(mpi_engine, MPI_##Name, count)

LEADLINE_TRANSFERS(LEADLINE_TRANSFER)
LEADLINE_ATOMICS(LEADLINE_OTHER)
LEADLINE_STARTS(LEADLINE_OTHER)

#define LEADLINE_NEW(Name, name, NAME, count) \
  LEADLINE_MPI_4_ENTRY(LEADLINE_NOTED_ENTRY, MPI_##Name, count)
LEADLINE_NEW_TRANSFERS(LEADLINE_NEW)

}  // namespace leadline::runtime
