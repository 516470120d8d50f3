// The functions of C.
#include "runtime/explain/preload/entry.hpp"

namespace leadline::explain {

#define LEADLINE_OBSERVED(id, handler, name, lower, UPPER, count, in_fortran, ...) \
  LEADLINE_EXPLAIN_ENTRY(MPI_##name, id, kC, count)
#define LEADLINE_OBSERVED_LARGE(id, name, count) \
  LEADLINE_EXPLAIN_ENTRY(MPI_##name, id, kLarge, count)
#include "observed.inc"

}  // namespace leadline::explain
