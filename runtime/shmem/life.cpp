// Where the engine begins, once OpenSHMEM is there, and ends, in shmem_finalize: there the reports
// of all PEs are brought together and written.
#include <shmem.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "runtime/engine/interception.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/preload/engine.hpp"
#include "runtime/report/call_counts.hpp"
#include "runtime/shared/warn.hpp"
#include "runtime/shmem/aside.hpp"
#include "runtime/shmem/group.hpp"

namespace leadline::runtime {
namespace {

// What the PEs of a job were told of leadline.
struct Wanted {
  bool profile = false;  // all PEs have one
  bool report = false;   // all PEs are to report
};

// Of the library's own reduction.
struct Objects {
  int own[2];
  int sum[2];
  int work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 2];
  long sync[SHMEM_REDUCE_SYNC_SIZE];
};

bool have_all(const char* variable, int having, int pes, const char* what_follows) {
  if (having != 0 && having != pes) {
    leadline_warn((std::string(variable) + " is set for " + std::to_string(having) + " of " +
                   std::to_string(pes) + " PEs only: " + what_follows)
                      .c_str());
  }
  return having == pes;
}

// Compared before any of them waits for another. Collective over all PEs, once, after the library
// has been initialised. Where only some have a variable, a line on standard error says so.
Wanted agree_on_settings() {
  const Aside aside;
  auto* const objects = static_cast<Objects*>(shmem_malloc(sizeof(Objects)));
  if (objects == nullptr) return {};
  const int pes = shmem_n_pes();
  objects->own[0] = *runtime_settings().profile != '\0' ? 1 : 0;
  objects->own[1] = *runtime_settings().report != '\0' ? 1 : 0;
  std::fill(std::begin(objects->sync), std::end(objects->sync), SHMEM_SYNC_VALUE);
  shmem_barrier_all();
  shmem_int_sum_to_all(objects->sum, objects->own, 2, 0, 0, pes, objects->work, objects->sync);
  const Wanted wanted{
      .profile = have_all("LEADLINE_PROFILE", objects->sum[0], pes, "nothing is replaced"),
      .report = have_all("LEADLINE_REPORT", objects->sum[1], pes, "the report is PE 0's at most")};
  shmem_free(objects);
  return wanted;
}

bool all_report = false;

// What a PE hands on, in its symmetric heap; rows follow.
struct Parcel {
  int ranks;
  double seconds;
  std::uint64_t uncounted;
  std::uint64_t rows;

  ReportRow* begin() { return reinterpret_cast<ReportRow*>(this + 1); }
};

void pack(const Report& report, Parcel& parcel) {
  parcel = {.ranks = report.ranks,
            .seconds = report.seconds,
            .uncounted = report.uncounted,
            .rows = report.rows.size()};
  std::copy(report.rows.begin(), report.rows.end(), parcel.begin());
}

Report fetch(Parcel* parcel, int pe) {
  Parcel head{};
  shmem_getmem(&head, parcel, sizeof head, pe);
  Report report{.ranks = head.ranks, .seconds = head.seconds, .uncounted = head.uncounted};
  report.rows.resize(head.rows);
  shmem_getmem(report.rows.data(), parcel->begin(), head.rows * sizeof(ReportRow), pe);
  return report;
}

// Collective over all PEs, along the binomial tree: PE 0 has the report of all. Where the symmetric
// heap has no room, which is so on all PEs, each keeps its own.
void gather(Report& report) {
  const int pe = shmem_my_pe();
  auto* const parcel =
      static_cast<Parcel*>(shmem_malloc(sizeof(Parcel) + kMostRows * sizeof(ReportRow)));
  if (parcel == nullptr) return;
  for (int step = 1; step < report.processes; step *= 2) {
    const bool receives = pe % (2 * step) == 0 && pe + step < report.processes;
    if (pe % (2 * step) == step) pack(report, *parcel);
    shmem_barrier_all();
    if (receives) merge(fetch(parcel, pe + step), report);
  }
  shmem_free(parcel);
}

void write_of_all() {
  if (!claim_report()) return;
  const Aside aside;
  Report report = own_report();
  report.processes = shmem_n_pes();
  if (all_report) gather(report);
  if (shmem_my_pe() == 0) write_report(report);
}

void (*library_finalize)() = nullptr;

void finalize() {
  if (kReporting) write_of_all();
  library_finalize();
}

const Interception interception{"shmem_finalize", finalize, library_finalize};

void start(bool several_threads) {
  const Wanted wanted = agree_on_settings();
  if (wanted.profile) Group::start(several_threads);
  all_report = wanted.report;
  if (kReporting) report_at_exit(shmem_my_pe(), own_report);
}

void (*library_init)() = nullptr;
void init() {
  library_init();
  start(false);
}

void (*library_start_pes)(int) = nullptr;
void start_some_pes(int pes) {
  library_start_pes(pes);
  start(false);
}

int (*library_init_thread)(int, int*) = nullptr;
int init_thread(int requested, int* provided) {
  const int code = library_init_thread(requested, provided);
  // PEs of which several threads call at once would need more than one order of calls.
  if (code == 0) start(*provided == SHMEM_THREAD_MULTIPLE);
  return code;
}

constexpr std::string_view kInit = "shmem_init";
constexpr std::string_view kStartPes = "start_pes";
constexpr std::string_view kInitThread = "shmem_init_thread";

const Interception of_init{kInit, init, library_init};
const Interception of_start_pes{kStartPes, start_some_pes, library_start_pes};
const Interception of_init_thread{kInitThread, init_thread, library_init_thread};

bool begins(std::string_view name) {
  return name == kInit || name == kStartPes || name == kInitThread;
}

}  // namespace
}  // namespace leadline::runtime

extern "C" __attribute__((visibility("default"))) leadline::runtime::Readiness
leadline_engine_ready() {
  return leadline::runtime::Readiness::kReady;
}

extern "C" __attribute__((visibility("default"))) void* leadline_engine_entry(
    const char* name, void* library_function) {
  // A PE that wants nothing takes part in the beginning alone, when the others ask it.
  const leadline::runtime::RuntimeSettings& settings = leadline::runtime::runtime_settings();
  if (*settings.profile == '\0' && *settings.report == '\0' && !leadline::runtime::begins(name)) {
    return nullptr;
  }
  return leadline::runtime::Interception::stand_in(name, library_function);
}
