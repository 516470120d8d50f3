// The library by which a profile is known.
#include <shmem.h>

#include <sstream>

#include "runtime/profile/profile.hpp"

// Open MPI's OpenSHMEM stands on its MPI, whose text says more than shmem_info_get_name does.
extern "C" __attribute__((weak)) int PMPI_Get_library_version(char* text, int* length);

namespace leadline::runtime {

std::string library_version() {
  char text[8192] = "";  // more than any library's
  int length = 0;
  if (PMPI_Get_library_version == nullptr || PMPI_Get_library_version(text, &length) != 0) {
    shmem_info_get_name(text);
  }
  return one_blank_between_words(text);
}

}  // namespace leadline::runtime
