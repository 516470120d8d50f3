// Fortran's names of the functions, in each way in which compilers write them.
//
// Where the library's Fortran goes on to C's functions, these are the ones that know the place in
// the program.
#include "runtime/explain/preload/entry.hpp"

namespace leadline::explain {

#ifdef LEADLINE_OPEN_MPI
// Module mpi_f08 goes on to the second one, or to the third where an argument is LOGICAL. They are
// seen first where the module's own name is not: a layer in the program itself has it.
#define LEADLINE_EXPLAIN_MODULES(id, lower, count)                \
  LEADLINE_EXPLAIN_ENTRY(mpi_##lower##_f08_, id, kFortran, count) \
  LEADLINE_EXPLAIN_ENTRY(ompi_##lower##_f, id, kFortran, count)   \
  LEADLINE_EXPLAIN_ENTRY(pmpi_##lower##_, id, kFortran, count)
#else
// The second one where there are buffers.
#define LEADLINE_EXPLAIN_MODULES(id, lower, count)                \
  LEADLINE_EXPLAIN_ENTRY(mpi_##lower##_f08_, id, kFortran, count) \
  LEADLINE_EXPLAIN_ENTRY(mpi_##lower##_f08ts_, id, kFortran, count)
#endif

#define LEADLINE_OBSERVED(id, handler, name, lower, UPPER, count, in_fortran, ...) \
  LEADLINE_EXPLAIN_ENTRY(mpi_##lower, id, kFortran, in_fortran)                    \
  LEADLINE_EXPLAIN_ENTRY(mpi_##lower##_, id, kFortran, in_fortran)                 \
  LEADLINE_EXPLAIN_ENTRY(mpi_##lower##__, id, kFortran, in_fortran)                \
  LEADLINE_EXPLAIN_ENTRY(MPI_##UPPER, id, kFortran, in_fortran)                    \
  LEADLINE_EXPLAIN_MODULES(id, lower, in_fortran)
#define LEADLINE_OBSERVED_LARGE(id, name, count)
#include "observed.inc"

}  // namespace leadline::explain
