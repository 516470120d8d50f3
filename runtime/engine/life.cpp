// Where the engine begins, when the preloaded library asks it, and ends, in MPI_Finalize: there the
// reports of all ranks are brought together and written, and what was learnt is stored.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node/traffic.hpp"
#include "runtime/engine/communicator_state.hpp"
#include "runtime/engine/interception.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/learning/overhead_budget.hpp"
#include "runtime/learning/trial_table.hpp"
#include "runtime/preload/engine.hpp"
#include "runtime/preload/noted.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/report/call_counts.hpp"
#include "runtime/shared/mpi_abi.hpp"
#include "runtime/shared/warn.hpp"

namespace leadline::runtime {

std::string library_version() { return one_blank_between_words(said_by_library()); }

namespace {

constexpr int kTag = 0;

template <typename Row>
int send(const std::vector<Row>& rows, int to, MPI_Comm comm) {
  return PMPI_Send(rows.data(), static_cast<int>(rows.size() * sizeof(Row)), MPI_BYTE, to, kTag,
                   comm);
}

template <typename Row>
int receive(std::vector<Row>& rows, int from, MPI_Comm comm) {
  MPI_Status status;
  int bytes = 0;
  RETURN_IF_FAILED(PMPI_Probe(from, kTag, comm, &status));
  RETURN_IF_FAILED(PMPI_Get_count(&status, MPI_BYTE, &bytes));
  rows.resize(static_cast<std::size_t>(bytes) / sizeof(Row));
  return PMPI_Recv(rows.data(), bytes, MPI_BYTE, from, kTag, comm, MPI_STATUS_IGNORE);
}

// What is no row, as it travels.
struct Summary {
  int ranks;
  double seconds;
  int learns;
  double lost_s;
  double gained_s;
  std::uint64_t uncounted;
};

int send(const Report& report, int to, MPI_Comm comm) {
  RETURN_IF_FAILED(send(std::vector<Summary>{{report.ranks, report.seconds, report.learns ? 1 : 0,
                                              report.lost_s, report.gained_s, report.uncounted}},
                        to, comm));
  RETURN_IF_FAILED(send(report.rows, to, comm));
  return send(report.files, to, comm);
}

int receive(Report& report, int from, MPI_Comm comm) {
  std::vector<Summary> summary;
  RETURN_IF_FAILED(receive(summary, from, comm));
  report.ranks = summary[0].ranks;
  report.seconds = summary[0].seconds;
  report.learns = summary[0].learns != 0;
  report.lost_s = summary[0].lost_s;
  report.gained_s = summary[0].gained_s;
  report.uncounted = summary[0].uncounted;
  RETURN_IF_FAILED(receive(report.rows, from, comm));
  return receive(report.files, from, comm);
}

int add_from(int rank, Report& report, MPI_Comm comm) {
  try {
    Report other;
    RETURN_IF_FAILED(receive(other, rank, comm));
    merge(other, report);
    return MPI_SUCCESS;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}

// Collective over `comm`, in O(log P) steps. Returns an MPI error code; rank 0 has the report of
// all, or of those that it could get.
int gather(Report& report, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  // Along the binomial tree, whose largest subtrees need the longest. Who lacks another's report
  // hands on what it has, for which somebody waits.
  int code = MPI_SUCCESS;
  for (int step = 1; step < size; step *= 2) {
    if ((rank & step) != 0) return send(report, rank - step, comm);
    if (rank + step >= size) continue;
    const int failed = add_from(rank + step, report, comm);
    if (code == MPI_SUCCESS) code = failed;
  }
  return report.ranks == size || code != MPI_SUCCESS ? code : MPI_ERR_OTHER;
}

// With what learning cost and brought.
Report whole_report() {
  Report report = own_report();
  report.learns = runtime_settings().learns();
  if (report.learns) {
    report.lost_s = seconds_per_tick() * overhead_budget().lost();
    report.gained_s = seconds_per_tick() * overhead_budget().gained();
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
  const bool alike = CommunicatorState::alike(MPI_COMM_WORLD).report;
  if (!kReporting || !alike || !claim_report()) return;
  int rank = 0;
  Report report = whole_report();
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
  const int code = gather_from_all(report, rank);
  if (rank != 0) return;
  if (code != MPI_SUCCESS) warn_of_ranks_without(report, code);
  write_report(report);
}

int (*library_finalize)() = nullptr;

// By the first rank, which has a part in what most communicators learnt.
// What a program does that finalizes MPI again is the library's to refuse.
void finish() {
  int finalized = 0;
  int rank = -1;
  if (PMPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
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

Readiness refuse(const std::string& why) {
  leadline_warn((why + "; the program goes on without leadline").c_str());
  return Readiness::kNever;
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Collectives of a job of which some processes have leadline and others do not would never end. All
// launchers hand their environment to all processes, but for Open MPI's, on hosts other than its
// own, which must be told.
bool everybody_has_leadline() {
  if (variable("OMPI_COMM_WORLD_SIZE") == variable("OMPI_COMM_WORLD_LOCAL_SIZE")) return true;
  return variable("LEADLINE") == "on" ||
         variable("OMPI_MCA_mca_base_env_list").find("LD_PRELOAD") != std::string_view::npos;
}

// Programs that survive the death of a rank: a collective then returns an error, which nobody who
// waits in shared memory can.
bool ranks_may_die() {
  const std::string_view enabled = variable("OMPI_MCA_mpi_ft_enable");
  return !enabled.empty() && enabled != "0" && enabled != "false" && enabled != "no";
}

Readiness start() {
  if (const std::string why = misfit("this engine"); !why.empty()) return refuse(why);
  if (ranks_may_die()) {
    return refuse("this job survives the death of a rank (Open MPI's --with-ft)");
  }
  if (!everybody_has_leadline()) {
    return refuse(
        "Open MPI hands no LD_PRELOAD to other hosts unless told: start with `mpirun -x LD_PRELOAD "
        "-x LEADLINE_PROFILE -x LEADLINE=on`, or by `leadline exec`");
  }
  node::Traffic::watch(leadline_traffic);
  int rank = -1;
  if (kReporting && PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS) {
    report_at_exit(rank, whole_report);
  }
  return Readiness::kReady;
}

}  // namespace
}  // namespace leadline::runtime

extern "C" __attribute__((visibility("default"))) leadline::runtime::Readiness
leadline_engine_ready() {
  using leadline::runtime::Readiness;
  static Readiness readiness = Readiness::kNotYet;
  if (readiness != Readiness::kNotYet) return readiness;
  int initialized = 0;
  int finalized = 0;
  if (PMPI_Initialized(&initialized) != MPI_SUCCESS || initialized == 0) return readiness;
  if (PMPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return readiness;
  return readiness = leadline::runtime::start();
}

extern "C" __attribute__((visibility("default"))) void* leadline_engine_entry(
    const char* name, void* library_function) {
  return leadline::runtime::Interception::stand_in(name, library_function);
}
