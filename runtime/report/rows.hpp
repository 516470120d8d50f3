// What ranks called, brought together and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace leadline::runtime {

// Of a class of calls. In memory as it travels; names that are longer are cut.
struct ReportRow {
  char function[32];
  char algorithm[32];  // empty: the library's own
  char reason[48];     // empty: an algorithm
  std::int32_t processes;
  std::int32_t nodes;
  std::int64_t from_bytes;  // -1: unknown
  std::int64_t to_bytes;
  std::uint64_t ranks;  // that have such calls
  std::uint64_t calls;  // of all ranks, as all sums
  std::uint64_t bytes;
  double seconds;
  double slowest_s;  // of the rank that spent the longest time in them
  double saved_s;
};

// Whether a library hands a key back that no library knows: what it returns is then no proof of
// use.
enum class Echo : std::int32_t { kUntried = -1, kAbsent, kReturned };

// Of a file that was opened, with hints as `key=value` words.
struct FileRow {
  char name[256];
  char requested[512];
  char returned[512];
  Echo echo;
  std::uint64_t opened;
};

struct Report {
  int ranks = 1;      // that it is of
  int processes = 1;  // of the program
  double seconds = 0;
  bool learns = false;  // of a rank, the most that any lost in trials, and gained by what it learnt
  double lost_s = 0;
  double gained_s = 0;
  std::uint64_t uncounted = 0;  // calls for which there was no room
  std::vector<ReportRow> rows;
  std::vector<FileRow> files;
};

// No report has more; calls of what finds no room are counted in `uncounted`.
constexpr std::size_t kMostRows = 4096;

// Adds a row, or the report of other ranks.
void add(const ReportRow& row, Report& report);
void merge(const Report& from, Report& to);

// Files that this process opens. Safe in any thread.
void note_file(const FileRow& file);
std::vector<FileRow> opened_files();

// The most expensive first.
std::string report_table(const Report& report);
std::string report_json(const Report& report);

// Whether it is the caller who writes this process's report: the first one who asks.
bool claim_report();

// To where LEADLINE_REPORT says. What fails is a line on standard error.
void write_report(const Report& report);

// Has a process of rank 0 write what `make` returns when it ends, unless the report was claimed
// before: without communication, since the other ranks may have gone.
void report_at_exit(int rank, Report (*make)());

}  // namespace leadline::runtime
