#include "runtime/report/call_counts.hpp"

#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <mutex>

namespace leadline::runtime {
namespace {

using Clock = std::chrono::steady_clock;

std::size_t mix(std::size_t hash, std::size_t value) {
  return (hash ^ value ^ (value >> 29U)) * 0x9E3779B97F4A7C15U;
}

std::size_t mix(std::size_t hash, const void* value) {
  return mix(hash, reinterpret_cast<std::size_t>(value));
}

// Sizes with as many bits; -1: unknown.
int class_of(const Call& call) {
  return call.has_bytes ? static_cast<int>(std::bit_width(call.bytes)) : -1;
}

// Calls of one function on communicators of one shape, of one class of sizes.
struct Counted {
  Call call{};  // the first
  bool used = false;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t ticks = 0;
  double saved_s = 0;

  bool is_of(const Call& other) const {
    return call.function == other.function && call.algorithm == other.algorithm &&
           call.reason == other.reason && call.processes == other.processes &&
           call.nodes == other.nodes && class_of(call) == class_of(other);
  }
};

struct Counts {
  static constexpr std::size_t kRows = 1024;  // a power of two

  std::mutex lock;
  std::array<Counted, kRows> rows{};
  std::uint64_t calls_of_no_row = 0;
  const Clock::time_point begin = Clock::now();
  const std::uint64_t begin_ticks = ticks();

  // nullptr where there is no room for a new one.
  Counted* find(const Call& call) {
    std::size_t at = mix(mix(mix(0, call.function), call.algorithm), call.reason);
    at = mix(at, static_cast<std::size_t>(call.processes));
    at = mix(at, static_cast<std::size_t>(class_of(call)) + 1) >> 20U;
    for (std::size_t tried = 0; tried < kRows; ++tried, ++at) {
      Counted& row = rows[at % kRows];
      if (!row.used) row = {.call = call, .used = true};
      if (row.is_of(call)) return &row;
    }
    return nullptr;
  }
};

Counts& counts() {
  // Never destroyed: threads may still call while the program ends.
  static Counts* const counts = new Counts;
  return *counts;
}

template <std::size_t kRoom>
void write(char (&to)[kRoom], const char* text) {
  std::snprintf(to, kRoom, "%s", text != nullptr ? text : "");
}

ReportRow row_of(const Counted& counted, double seconds_per_tick) {
  const Call& call = counted.call;
  ReportRow row{};
  write(row.function, call.function);
  write(row.algorithm, call.algorithm);
  write(row.reason, call.reason);
  row.processes = call.processes;
  row.nodes = call.nodes;
  row.from_bytes = row.to_bytes = -1;
  if (call.has_bytes) {
    const std::size_t least = std::bit_floor(call.bytes);
    row.from_bytes = static_cast<std::int64_t>(least);
    row.to_bytes = call.bytes == 0 ? 0 : static_cast<std::int64_t>(least + (least - 1));
  }
  row.ranks = 1;
  row.calls = counted.calls;
  row.bytes = counted.bytes;
  row.seconds = row.slowest_s = static_cast<double>(counted.ticks) * seconds_per_tick;
  row.saved_s = counted.saved_s;
  return row;
}

}  // namespace

void record(const Call& call, std::uint64_t duration) {
  Counts& all = counts();
  const std::lock_guard lock(all.lock);
  Counted* const row = all.find(call);
  if (row == nullptr) {
    ++all.calls_of_no_row;
    return;
  }
  ++row->calls;
  row->bytes += call.bytes;
  row->ticks += duration;
  row->saved_s += call.saved_s;
}

Report own_report() {
  Counts& all = counts();
  const std::lock_guard lock(all.lock);
  Report report{.seconds = std::chrono::duration<double>(Clock::now() - all.begin).count(),
                .uncounted = all.calls_of_no_row,
                .files = opened_files()};
  const std::uint64_t passed = ticks() - all.begin_ticks;
  const double seconds_per_tick = passed > 0 ? report.seconds / static_cast<double>(passed) : 0;
  for (const Counted& row : all.rows) {
    if (row.used) add(row_of(row, seconds_per_tick), report);
  }
  return report;
}

}  // namespace leadline::runtime
