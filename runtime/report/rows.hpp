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

// Of a file that was opened, with hints as `key=value` words.
struct FileRow {
  char name[256];
  char requested[512];
  char taken[512];
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

// This process's own.
Report own_report();

// No report has more; what finds no room is counted in `uncounted`.
constexpr std::size_t kMostRows = 4096;

// Adds the report of other ranks.
void merge(const Report& from, Report& to);

// The most expensive first.
std::string report_table(const Report& report);
std::string report_json(const Report& report);

// To where LEADLINE_REPORT says. What fails is a line on standard error.
void write_report(const Report& report);

// Writes the report when the process ends, if it was not written before. MPI is initialised.
void report_at_exit();

void note_file(const FileRow& file);

}  // namespace leadline::runtime
