#include "runtime/report/rows.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace leadline::runtime {
namespace {

constexpr std::size_t kMostFiles = 256;

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
         std::strcmp(a.returned, b.returned) == 0 && a.echo == b.echo;
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

}  // namespace

void merge(const Report& from, Report& to) {
  to.ranks += from.ranks;
  to.seconds = std::max(to.seconds, from.seconds);
  to.learns = to.learns || from.learns;
  to.lost_s = std::max(to.lost_s, from.lost_s);
  to.gained_s = std::max(to.gained_s, from.gained_s);
  to.uncounted += from.uncounted;
  for (const ReportRow& row : from.rows) add(row, to);
  for (const FileRow& file : from.files) add(file, kMostFiles, to.files);
}

void add(const ReportRow& row, Report& report) {
  if (!add(row, kMostRows, report.rows)) report.uncounted += row.calls;
}

namespace {

std::mutex files_lock;
std::vector<FileRow>& all_files() {
  static auto* const files = new std::vector<FileRow>;
  return *files;
}

}  // namespace

void note_file(const FileRow& file) {
  const std::lock_guard lock(files_lock);
  add(file, kMostFiles, all_files());
}

std::vector<FileRow> opened_files() {
  const std::lock_guard lock(files_lock);
  return all_files();
}

}  // namespace leadline::runtime
