// How many bytes came, by the status of a call.
#pragma once

#include <mpi.h>

#include "runtime/fortran/arguments.hpp"

namespace leadline::runtime {

// The status that a program wants, or one of leadline's own where it wants none and `bytes` is
// asked for.
class Came {
 public:
  Came(MPI_Status* wanted, int* bytes)
      : status_(wanted == MPI_STATUS_IGNORE && bytes != nullptr ? &own_ : wanted), bytes_(bytes) {}
  Came(const Came&) = delete;
  Came& operator=(const Came&) = delete;

  MPI_Status* status() { return status_; }
  // After the call, which returned this code; returns it.
  int read(int code) {
    if (code == MPI_SUCCESS && bytes_ != nullptr) PMPI_Get_count(status_, MPI_BYTE, bytes_);
    return code;
  }

 private:
  MPI_Status own_{};
  MPI_Status* status_;
  int* bytes_;
};

#if defined(OPEN_MPI)
// By which Fortran programs say that they want no status; nullptr where it is unknown, since
// Fortran's library was loaded for one module of a program alone.
const void* fortran_status_ignore();

inline bool fortran_statuses_known() {
  return fortran_constants_known() && fortran_status_ignore() != nullptr;
}

// The same in Fortran.
class FortranCame {
 public:
  FortranCame(MPI_Fint* wanted, int* bytes)
      : status_(wanted == fortran_status_ignore() && bytes != nullptr ? own_ : wanted),
        bytes_(bytes) {}
  FortranCame(const FortranCame&) = delete;
  FortranCame& operator=(const FortranCame&) = delete;

  MPI_Fint* status() { return status_; }
  int read(int code) {
    MPI_Status in_c;
    if (code == MPI_SUCCESS && bytes_ != nullptr &&
        PMPI_Status_f2c(status_, &in_c) == MPI_SUCCESS) {
      PMPI_Get_count(&in_c, MPI_BYTE, bytes_);
    }
    return code;
  }

 private:
  MPI_Fint own_[sizeof(MPI_Status) / sizeof(MPI_Fint) + 1] = {};
  MPI_Fint* status_;
  int* bytes_;
};
#endif

}  // namespace leadline::runtime
