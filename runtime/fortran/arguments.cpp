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
  };
  return constants;
}

}  // namespace leadline::runtime
