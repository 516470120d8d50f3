#include "runtime/report/rows.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "runtime/report/ledger.hpp"

namespace leadline::runtime {
namespace {

constexpr std::size_t kMostFiles = 256;

template <std::size_t kRoom>
void write(char (&to)[kRoom], const std::string& text) {
  std::snprintf(to, kRoom, "%s", text.c_str());
}

const char* or_empty(const char* text) { return text != nullptr ? text : ""; }

ReportRow row_of(const char* function, const char* algorithm, const char* reason,
                 const Counted& counted, double seconds_per_tick) {
  ReportRow row{};
  write(row.function, function);
  write(row.algorithm, or_empty(algorithm));
  write(row.reason, or_empty(reason));
  row.from_bytes = row.to_bytes = -1;
  row.ranks = 1;
  row.calls = counted.calls;
  row.bytes = counted.bytes;
  row.seconds = row.slowest_s = static_cast<double>(counted.ticks) * seconds_per_tick;
  row.saved_s = counted.saved_s;
  return row;
}

bool same(const ReportRow& a, const ReportRow& b) {
  const auto equal = [](const char* x, const char* y) { return std::strcmp(x, y) == 0; };
  return a.processes == b.processes && a.nodes == b.nodes && a.from_bytes == b.from_bytes &&
         equal(a.function, b.function) && equal(a.algorithm, b.algorithm) &&
         equal(a.reason, b.reason);
}

void merge(const ReportRow& from, ReportRow& to) {
  to.ranks += from.ranks;
  to.calls += from.calls;
  to.bytes += from.bytes;
  to.seconds += from.seconds;
  to.slowest_s = std::max(to.slowest_s, from.slowest_s);
  to.saved_s += from.saved_s;
}

bool same(const FileRow& a, const FileRow& b) {
  return std::strcmp(a.name, b.name) == 0 && std::strcmp(a.requested, b.requested) == 0 &&
         std::strcmp(a.taken, b.taken) == 0;
}

void merge(const FileRow& from, FileRow& to) { to.opened += from.opened; }

// Whether there was room.
template <typename Row>
bool add(const Row& row, std::size_t most, std::vector<Row>& rows) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& other) { return same(row, other); });
  if (found != rows.end()) {
    merge(row, *found);
  } else if (rows.size() < most) {
    rows.push_back(row);
  } else {
    return false;
  }
  return true;
}

std::mutex files_lock;
std::vector<FileRow>& opened_files() {
  static auto* const files = new std::vector<FileRow>;
  return *files;
}

}  // namespace

void merge(const Report& from, Report& to) {
  to.ranks += from.ranks;
  to.seconds = std::max(to.seconds, from.seconds);
  to.learns = to.learns || from.learns;
  to.lost_s = std::max(to.lost_s, from.lost_s);
  to.gained_s = std::max(to.gained_s, from.gained_s);
  to.uncounted += from.uncounted;
  for (const ReportRow& row : from.rows) {
    if (!add(row, kMostRows, to.rows)) to.uncounted += row.calls;
  }
  for (const FileRow& file : from.files) add(file, kMostFiles, to.files);
}

void note_file(const FileRow& file) {
  const std::lock_guard lock(files_lock);
  add(file, kMostFiles, opened_files());
}

Report own_report() {
  const Ledger ledger = read_ledger();
  Report report{.seconds = ledger.seconds, .uncounted = ledger.calls_of_no_row};
  for (const CountedClass& one : ledger.classes) {
    const Call& call = one.call;
    ReportRow row =
        row_of(call.function, call.algorithm, call.reason, one.counted, ledger.seconds_per_tick);
    row.processes = call.processes;
    row.nodes = call.nodes;
    if (call.weighed) {
      row.from_bytes = static_cast<std::int64_t>(least_of_class(call.bytes));
      row.to_bytes = static_cast<std::int64_t>(most_of_class(call.bytes));
    }
    add(row, kMostRows, report.rows);
  }
  const std::lock_guard lock(files_lock);
  report.files = opened_files();
  return report;
}

}  // namespace leadline::runtime
