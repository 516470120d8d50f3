#include "runtime/fortran/arguments.hpp"

#include <dlfcn.h>

#include <initializer_list>

namespace leadline::runtime {
namespace {

// The first that a loaded library or the program itself has.
const void* find_first(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const void* const found = dlsym(RTLD_DEFAULT, name)) return found;
  }
  return nullptr;
}

}  // namespace

const FortranConstants& fortran_constants() {
  // Common blocks of Open MPI's, which the linker makes one for the whole program.
  static const FortranConstants constants{
      .in_place = find_first({"mpi_fortran_in_place_", "mpi_fortran_in_place",
                              "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"}),
      .bottom = find_first({"mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__",
                            "MPI_FORTRAN_BOTTOM"}),
      // The last one is that of MPICH's module mpi_f08, the only one of its that is asked for.
      .statuses_ignore = find_first({"mpi_fortran_statuses_ignore_", "mpi_fortran_statuses_ignore",
                                     "mpi_fortran_statuses_ignore__", "MPI_FORTRAN_STATUSES_IGNORE",
                                     "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"}),
  };
  return constants;
}

}  // namespace leadline::runtime
