// Writes the report when the program finalizes MPI, or ends without that.
#include <mpi.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/engine/interception.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/report/ledger.hpp"
#include "runtime/report/rows.hpp"

namespace leadline {
namespace {

std::atomic<bool> written{false};

void write(const Report& report) {
  const char* const file = runtime_settings().report;
  if (std::strcmp(file, "1") == 0) {
    std::fputs(report_table(report).c_str(), stderr);
    return;
  }
  std::FILE* const stream = std::fopen(file, "w");
  bool done = stream != nullptr && std::fputs(report_json(report).c_str(), stream) >= 0;
  if (stream != nullptr) done = std::fclose(stream) == 0 && done;
  if (!done) {
    std::fprintf(stderr,
                 "leadline: the report %s cannot be written: %s; LEADLINE_REPORT=1 prints one\n",
                 file, std::strerror(errno));
  }
}

// Collective. Errors are not the program's: it finalizes all the same.
void write_of_all() {
  if (written.exchange(true)) return;
  int rank = 0;
  Report report = own_report();
  MPI_Comm comm = MPI_COMM_NULL;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
  if (PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm) != MPI_SUCCESS) return;
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int code = gather(report, comm);
  PMPI_Comm_free(&comm);
  if (code == MPI_SUCCESS && rank == 0) write(report);
}

// Without communication: the other ranks may have gone.
class AtExit {
 public:
  AtExit() {
    if (!kReporting) return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    std::atexit([] {
      if (rank_ != 0 || written.exchange(true)) return;
      Report report = own_report();
      report.processes = 0;
      write(report);
    });
  }

 private:
  inline static int rank_ = -1;
};

int (*library_finalize)() = nullptr;

int finalize() {
  if (kReporting) write_of_all();
  return library_finalize();
}

const Interception interception{"MPI_Finalize", finalize, library_finalize};

void (*library_fortran_finalize)(MPI_Fint*) = nullptr;

void fortran_finalize(MPI_Fint* ierror) {
  if (kReporting) write_of_all();
  library_fortran_finalize(ierror);
}

const FortranInterceptions fortran_interceptions{"finalize", fortran_finalize,
                                                 library_fortran_finalize};

}  // namespace

void report_at_exit() { static const AtExit at_exit; }

}  // namespace leadline
