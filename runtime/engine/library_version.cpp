// The library by which a profile is known.
#include <mpi.h>

#include "runtime/profile/profile.hpp"

namespace leadline::runtime {

std::string library_version() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS) return {};
  return one_blank_between_words(std::string(version, static_cast<std::size_t>(length)));
}

}  // namespace leadline::runtime
