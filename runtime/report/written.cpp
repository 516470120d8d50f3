// The report as a table and as JSON.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "algorithms/node/file_size_limit.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/report/rows.hpp"

namespace leadline::runtime {
namespace {

__attribute__((format(printf, 1, 2))) std::string text(const char* format, ...) {
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

std::vector<ReportRow> sorted(const Report& report) {
  std::vector<ReportRow> rows = report.rows;
  std::sort(rows.begin(), rows.end(),
            [](const ReportRow& a, const ReportRow& b) { return a.slowest_s > b.slowest_s; });
  return rows;
}

std::string size_text(std::int64_t bytes) {
  if (bytes < 0) return "-";
  const char* const units[] = {"", "K", "M", "G", "T"};
  int unit = 0;
  // The last of a range, such as 2047, is rounded up.
  std::int64_t shown = bytes;
  while (shown >= 1024 && unit < 4) {
    shown /= 1024;
    ++unit;
  }
  return std::to_string(shown) + units[unit];
}

std::string shape_text(const ReportRow& row) {
  if (row.nodes == 0) return row.processes == 0 ? "-" : std::to_string(row.processes);
  return text("%d on %d", row.processes, row.nodes);
}

std::string by_text(const ReportRow& row) {
  if (row.algorithm[0] != '\0') return row.algorithm;
  return std::string("library: ") + row.reason;
}

double per_rank(double sum, const ReportRow& row) { return sum / static_cast<double>(row.ranks); }

std::string calls_table(const Report& report) {
  std::string table =
      text("  %-28s %-10s %7s %9s %11s %10s %10s %10s  %s\n", "function", "processes", "from B",
           "calls", "us a call", "slowest s", "mean s", "saved s >=", "by");
  for (const ReportRow& row : sorted(report)) {
    const std::string saved = row.saved_s != 0 ? text("%.6f", per_rank(row.saved_s, row)) : "-";
    table += text("  %-28s %-10s %7s %9.0f %11.2f %10.6f %10.6f %10s  %s\n", row.function,
                  shape_text(row).c_str(), size_text(row.from_bytes).c_str(),
                  per_rank(static_cast<double>(row.calls), row),
                  1e6 * row.seconds / static_cast<double>(row.calls), row.slowest_s,
                  per_rank(row.seconds, row), saved.c_str(), by_text(row).c_str());
  }
  return table;
}

std::string files_table(const Report& report) {
  std::string table;
  for (const FileRow& file : report.files) {
    table += text(
        "leadline: %s, opened %" PRIu64 " times\n    asked for: %s\n    the library %s: %s\n%s",
        file.name, file.opened, file.requested, file.echo == Echo::kAbsent ? "has" : "returns",
        file.returned,
        file.echo == Echo::kReturned ? "    it returns any key: unknown whether it uses these\n"
                                     : "");
  }
  return table;
}

std::string of_whom(const Report& report) {
  if (report.processes > 0) return text("%d of %d ranks", report.ranks, report.processes);
  return "one rank alone, for the program did not finalize";
}

std::string quoted(const char* words) {
  std::string json = "\"";
  for (const char* c = words; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') json += '\\';
    json += static_cast<unsigned char>(*c) < 0x20 ? ' ' : *c;
  }
  return json + '"';
}

std::string quoted_or_null(const char* words) { return *words != '\0' ? quoted(words) : "null"; }

std::string known_or_null(std::int64_t number, std::int64_t unknown) {
  return number != unknown ? std::to_string(number) : "null";
}

std::string counts_json(const ReportRow& row) {
  return text("\"ranks\": %" PRIu64 ", \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64
              ", \"seconds\": %.9g, \"slowest_s\": %.9g",
              row.ranks, row.calls, row.bytes, row.seconds, row.slowest_s);
}

std::string class_json(const ReportRow& row) {
  return "{\"function\": " + quoted(row.function) +
         ", \"algorithm\": " + quoted_or_null(row.algorithm) +
         ", \"reason\": " + quoted_or_null(row.reason) +
         ", \"processes\": " + known_or_null(row.processes, 0) +
         ", \"nodes\": " + known_or_null(row.nodes, 0) +
         ", \"from_bytes\": " + known_or_null(row.from_bytes, -1) +
         ", \"to_bytes\": " + known_or_null(row.to_bytes, -1) + ", " + counts_json(row) +
         text(", \"saved_s\": %.9g}", row.saved_s);
}

std::string file_json(const FileRow& file) {
  const char* echoes = file.echo == Echo::kReturned ? "true" : "false";
  return "{\"name\": " + quoted(file.name) + ", \"requested\": " + quoted(file.requested) +
         ", \"returned\": " + quoted(file.returned) +
         ", \"returns_any_key\": " + (file.echo == Echo::kUntried ? "null" : echoes) +
         text(", \"opened\": %" PRIu64 "}", file.opened);
}

template <typename Row, typename Json>
std::string array(const std::vector<Row>& rows, const Json& json) {
  std::string all;
  for (const Row& row : rows) all += (all.empty() ? "\n    " : ",\n    ") + json(row);
  return "[" + all + "]";
}

std::string learning_line(const Report& report) {
  if (!report.learns) return {};
  return text("leadline: learning lost %.6f s (%.2f %%) in trials\n", report.lost_s,
              100 * report.lost_s / std::max(report.seconds, 1e-9));
}

std::string learning_json(const Report& report) {
  if (!report.learns) return "null";
  return text("{\"lost_s\": %.9g, \"gained_s\": %.9g}", report.lost_s, report.gained_s);
}

}  // namespace

std::string report_table(const Report& report) {
  return text("leadline: %s, %.3f s from the first call; calls and times of an average rank\n",
              of_whom(report).c_str(), report.seconds) +
         learning_line(report) + calls_table(report) + files_table(report) +
         (report.uncounted > 0
              ? text("leadline: %" PRIu64 " calls had no room in this report\n", report.uncounted)
              : "");
}

std::string report_json(const Report& report) {
  return text(
             "{\"format\": 1, \"ranks\": %d, \"processes\": %s, \"seconds\": %.9g, \"uncounted\": "
             "%" PRIu64,
             report.ranks, known_or_null(report.processes, 0).c_str(), report.seconds,
             report.uncounted) +
         ", \"learning\": " + learning_json(report) +
         ",\n  \"calls\": " + array(sorted(report), class_json) +
         ",\n  \"files\": " + array(report.files, file_json) + "}\n";
}

void write_report(const Report& report) {
  const char* const file = runtime_settings().report;
  if (std::strcmp(file, "1") == 0) {
    std::fputs(report_table(report).c_str(), stderr);
    return;
  }
  const node::ErrorPastFileSizeLimit error_past_limit;
  std::FILE* const stream = std::fopen(file, "w");
  bool done = stream != nullptr && std::fputs(report_json(report).c_str(), stream) >= 0;
  if (stream != nullptr) done = std::fclose(stream) == 0 && done;
  if (!done) {
    std::fprintf(stderr,
                 "leadline: the report %s cannot be written: %s; LEADLINE_REPORT=1 prints one\n",
                 file, std::strerror(errno));
  }
}

bool claim_report() {
  static std::atomic<bool> claimed{false};
  return !claimed.exchange(true);
}

void report_at_exit(int rank, Report (*make)()) {
  // A forked child ends, too, and has the counts of its parent.
  static pid_t process = 0;
  static Report (*make_report)() = nullptr;
  if (rank != 0 || make_report != nullptr) return;
  process = getpid();
  make_report = make;
  std::atexit([] {
    if (getpid() != process || !claim_report()) return;
    Report report = make_report();
    report.processes = 0;
    write_report(report);
  });
}

}  // namespace leadline::runtime
