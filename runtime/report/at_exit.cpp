// Writes the report when the program finalizes MPI, or ends without that.
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "algorithms/collectives/algorithm.hpp"
#include "runtime/engine/adopted.hpp"
#include "runtime/engine/interception.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/learning/notebook.hpp"
#include "runtime/learning/purse.hpp"
#include "runtime/report/gather.hpp"
#include "runtime/report/ledger.hpp"
#include "runtime/shared/warn.hpp"

namespace leadline::runtime {
namespace {

std::atomic<bool> written{false};

// With what learning cost and brought.
Report whole_report() {
  Report report = own_report();
  report.learns = runtime_settings().learns();
  if (report.learns) {
    report.lost_s = seconds_per_tick() * purse().lost();
    report.gained_s = seconds_per_tick() * purse().gained();
  }
  return report;
}

// Collective. Rank 0 has the report of all, or of those that it could get. Returns an MPI error
// code.
int gather_from_all(Report& report, int rank) {
  const ErrorsReturned errors_returned(MPI_COMM_WORLD);
  MPI_Comm comm = MPI_COMM_NULL;
  RETURN_IF_FAILED(PMPI_Comm_size(MPI_COMM_WORLD, &report.processes));
  RETURN_IF_FAILED(PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm));
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int code = gather(report, comm);
  PMPI_Comm_free(&comm);
  return code;
}

void warn_of_ranks_without(const Report& report, int code) {
  char why[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  int error_class = MPI_ERR_OTHER;
  PMPI_Error_class(code, &error_class);
  PMPI_Error_string(error_class, why, &length);
  leadline_warn(("the report has " + std::to_string(report.ranks) + " of " +
                 std::to_string(report.processes) + " ranks: gathering the rest failed: " + why)
                    .c_str());
}

// Collective. Errors are not the program's: it finalizes all the same.
void write_of_all() {
  const bool alike = Adopted::alike(MPI_COMM_WORLD).report;
  if (!kReporting || !alike || written.exchange(true)) return;
  int rank = 0;
  Report report = whole_report();
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
  const int code = gather_from_all(report, rank);
  if (rank != 0) return;
  if (code != MPI_SUCCESS) warn_of_ranks_without(report, code);
  write_report(report);
}

// Without communication: the other ranks may have gone.
class AtExit {
 public:
  AtExit() {
    if (!kReporting) return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    process_ = getpid();
    std::atexit([] {
      if (rank_ != 0 || getpid() != process_ || written.exchange(true)) return;
      Report report = whole_report();
      report.processes = 0;
      write_report(report);
    });
  }

 private:
  // A forked child ends, too, and has the counts of its parent.
  inline static pid_t process_ = 0;
  inline static int rank_ = -1;
};

int (*library_finalize)() = nullptr;

// By the first rank, which has a part in what most communicators learnt.
void finish() {
  int rank = -1;
  write_of_all();
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0) store_learnt();
}

int finalize() {
  finish();
  return library_finalize();
}

const Interception interception{"MPI_Finalize", finalize, library_finalize};

void (*library_fortran_finalize)(MPI_Fint*) = nullptr;

void fortran_finalize(MPI_Fint* ierror) {
  finish();
  library_fortran_finalize(ierror);
}

const FortranInterceptions fortran_interceptions{"finalize", fortran_finalize,
                                                 library_fortran_finalize};

}  // namespace

void report_at_exit() { static const AtExit at_exit; }

}  // namespace leadline::runtime
