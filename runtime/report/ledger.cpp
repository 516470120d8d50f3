#include "runtime/report/ledger.hpp"

#include <bit>
#include <mutex>

#include "runtime/report/table.hpp"

namespace leadline::runtime {
namespace {

using Clock = std::chrono::steady_clock;

std::size_t mix(std::size_t hash, std::size_t value) {
  return (hash ^ value ^ (value >> 29U)) * 0x9E3779B97F4A7C15U;
}

std::size_t mix(std::size_t hash, const void* value) {
  return mix(hash, reinterpret_cast<std::size_t>(value));
}

int class_of(const Call& call) {
  return call.weighed ? static_cast<int>(std::bit_width(call.bytes)) : -1;
}

struct ClassRow {
  Call call{};
  Counted counted;
  bool used = false;

  std::size_t hash() const {
    std::size_t hash = mix(0, call.function);
    hash = mix(mix(hash, call.algorithm), call.reason);
    hash = mix(hash, static_cast<std::size_t>(call.processes));
    return mix(hash, static_cast<std::size_t>(class_of(call)) + 1) >> 20U;
  }
  bool same(const ClassRow& other) const {
    return call.function == other.call.function && call.algorithm == other.call.algorithm &&
           call.reason == other.call.reason && call.processes == other.call.processes &&
           call.nodes == other.call.nodes && class_of(call) == class_of(other.call);
  }
};

struct Records {
  std::mutex lock;
  Table<ClassRow, 1024> classes;
  std::uint64_t calls_of_no_row = 0;
  const Clock::time_point begin = Clock::now();
  const std::uint64_t begin_ticks = ticks();
};

Records& records() {
  // Never destroyed: threads may still call while the program ends.
  static Records* const records = new Records;
  return *records;
}

void add(const Call& call, std::uint64_t duration, Counted& counted) {
  ++counted.calls;
  counted.bytes += call.bytes;
  counted.ticks += duration;
  counted.saved_s += call.library_s - call.algorithm_s;
}

}  // namespace

void record(const Call& call, std::uint64_t duration) {
  Records& all = records();
  const std::lock_guard lock(all.lock);
  if (ClassRow* const row = all.classes.find({.call = call})) {
    add(call, duration, row->counted);
  } else {
    ++all.calls_of_no_row;
  }
}

Ledger read_ledger() {
  Records& all = records();
  const std::lock_guard lock(all.lock);
  Ledger ledger;
  for (const ClassRow& row : all.classes.rows()) {
    if (row.used) ledger.classes.push_back({.call = row.call, .counted = row.counted});
  }
  ledger.calls_of_no_row = all.calls_of_no_row;
  ledger.seconds = std::chrono::duration<double>(Clock::now() - all.begin).count();
  const std::uint64_t passed = ticks() - all.begin_ticks;
  ledger.seconds_per_tick = passed > 0 ? ledger.seconds / static_cast<double>(passed) : 0;
  return ledger;
}

std::size_t least_of_class(std::size_t bytes) { return std::bit_floor(bytes); }

std::size_t most_of_class(std::size_t bytes) {
  return bytes == 0 ? 0 : std::bit_floor(bytes) + (std::bit_floor(bytes) - 1);
}

}  // namespace leadline::runtime
