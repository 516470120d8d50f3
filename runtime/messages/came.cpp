#include "runtime/messages/came.hpp"

#include <dlfcn.h>

namespace leadline::runtime {

#if defined(OPEN_MPI)
const void* fortran_status_ignore() {
  // A common block, which the linker makes one for the whole program.
  static const void* const found = [] {
    const void* address = nullptr;
    for (const char* name : {"mpi_fortran_status_ignore_", "mpi_fortran_status_ignore",
                             "mpi_fortran_status_ignore__", "MPI_FORTRAN_STATUS_IGNORE"}) {
      if (address == nullptr) address = dlsym(RTLD_DEFAULT, name);
    }
    return address;
  }();
  return found;
}
#endif

}  // namespace leadline::runtime
