#include "runtime/engine/replacement.hpp"

#include "runtime/shared/last_words.hpp"

namespace leadline::runtime {

void report_failure(const char* collective, MPI_Comm comm, int code) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  if (error_class != MPI_ERR_NO_MEM) {
    PMPI_Comm_call_errhandler(comm, code);
    return;
  }
  say_last_words(
      "a process has no memory left to pack the data of %s, and the others wait for it; with "
      "LEADLINE=off the library packs them",
      collective);
  PMPI_Comm_call_errhandler(comm, code);
  PMPI_Abort(comm, code);
}

}  // namespace leadline::runtime
