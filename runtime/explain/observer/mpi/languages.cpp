#include "runtime/explain/observer/mpi/languages.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace leadline::explain {

// Fortran's constants are addresses, of the library's own or of a common block of the program's.
bool InFortran::ignored(const void* status) {
  static const auto addresses = [] {
    constexpr std::array kNames{
        "mpi_fortran_status_ignore_",     "mpi_fortran_status_ignore",
        "mpi_fortran_status_ignore__",    "MPI_FORTRAN_STATUS_IGNORE",
        "mpi_fortran_statuses_ignore_",   "mpi_fortran_statuses_ignore",
        "mpi_fortran_statuses_ignore__",  "MPI_FORTRAN_STATUSES_IGNORE",
        "MPIR_F08_MPI_STATUS_IGNORE_OBJ", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ",
    };
    constexpr std::array kPointers{"MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE"};
    std::array<const void*, kNames.size() + kPointers.size()> found{};
    std::size_t at = 0;
    for (const char* name : kNames) found[at++] = dlsym(RTLD_DEFAULT, name);
    for (const char* name : kPointers) {
      const auto* const pointer = static_cast<void* const*>(dlsym(RTLD_DEFAULT, name));
      found[at++] = pointer != nullptr ? *pointer : nullptr;
    }
    return found;
  }();
  return status == nullptr ||
         std::find(addresses.begin(), addresses.end(), status) != addresses.end();
}

}  // namespace leadline::explain
