// Writes the report when the program finalizes OpenSHMEM, or ends without that.
#include "runtime/shmem/at_exit.hpp"

#include <shmem.h>

#include <algorithm>

#include "runtime/engine/interception.hpp"
#include "runtime/report/call_counts.hpp"
#include "runtime/report/rows.hpp"
#include "runtime/shmem/aside.hpp"

namespace leadline::runtime {
namespace {

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

}  // namespace

void report_pes_at_exit(bool of_all) {
  all_report = of_all;
  if (kReporting) report_at_exit(shmem_my_pe(), own_report);
}

}  // namespace leadline::runtime
