// Writes the report when the program finalizes MPI, or ends without that.
#include <mpi.h>

#include <atomic>
#include <cstdlib>

#include "runtime/engine/adopted.hpp"
#include "runtime/engine/interception.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/report/gather.hpp"
#include "runtime/report/ledger.hpp"

namespace leadline::runtime {
namespace {

std::atomic<bool> written{false};

// Collective. Errors are not the program's: it finalizes all the same.
void write_of_all() {
  const bool alike = Adopted::alike(MPI_COMM_WORLD).report;
  if (!kReporting || !alike || written.exchange(true)) return;
  int rank = 0;
  Report report = own_report();
  MPI_Comm comm = MPI_COMM_NULL;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
  if (PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm) != MPI_SUCCESS) return;
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int code = gather(report, comm);
  PMPI_Comm_free(&comm);
  if (code == MPI_SUCCESS && rank == 0) write_report(report);
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
      write_report(report);
    });
  }

 private:
  inline static int rank_ = -1;
};

int (*library_finalize)() = nullptr;

int finalize() {
  write_of_all();
  return library_finalize();
}

const Interception interception{"MPI_Finalize", finalize, library_finalize};

void (*library_fortran_finalize)(MPI_Fint*) = nullptr;

void fortran_finalize(MPI_Fint* ierror) {
  write_of_all();
  library_fortran_finalize(ierror);
}

const FortranInterceptions fortran_interceptions{"finalize", fortran_finalize,
                                                 library_fortran_finalize};

}  // namespace

void report_at_exit() { static const AtExit at_exit; }

}  // namespace leadline::runtime
