// The one definition of what a probe writes for every sample. Readers learn the layout from
// the probe itself: `--describe` and the first event of a stream list these fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leadline::probe {

inline constexpr int kStreamFormat = 1;

struct Sample {
  std::uint32_t point;        // index of the point in the plan
  std::uint32_t repetition;   // counts from 0 within a point and launch
  std::int32_t rank;          // who stopped the clock
  std::int32_t peer;          // its partner, or -1
  std::uint32_t batch;        // calls between the two clock readings
  std::uint16_t series;       // index into the benchmark's series
  std::uint16_t flags;        // Flag bits
  double seconds;             // time of one operation as the series defines it
  double begin;               // synchronised clock at the start, in seconds since the launch began
  float waited;               // seconds for which this rank waited for a core that others used
  std::uint32_t page_faults;  // of this rank
};

struct Field {
  std::string_view name;
  std::string_view numpy_type;
  std::size_t offset;
  std::size_t bytes;
};

#define LEADLINE_FIELD(name, type) \
  Field { #name, type, offsetof(Sample, name), sizeof(Sample::name) }
inline constexpr std::array kSampleFields{
    LEADLINE_FIELD(point, "<u4"),       LEADLINE_FIELD(repetition, "<u4"),
    LEADLINE_FIELD(rank, "<i4"),        LEADLINE_FIELD(peer, "<i4"),
    LEADLINE_FIELD(batch, "<u4"),       LEADLINE_FIELD(series, "<u2"),
    LEADLINE_FIELD(flags, "<u2"),       LEADLINE_FIELD(seconds, "<f8"),
    LEADLINE_FIELD(begin, "<f8"),       LEADLINE_FIELD(waited, "<f4"),
    LEADLINE_FIELD(page_faults, "<u4"),
};
#undef LEADLINE_FIELD

constexpr bool packed_in_order() {
  std::size_t end = 0;
  for (const Field& field : kSampleFields) {
    if (field.offset != end) return false;
    end += field.bytes;
  }
  return end == sizeof(Sample);
}
static_assert(packed_in_order(), "the field list must describe Sample without gaps");

enum Flag : std::uint16_t {
  kPreempted = 1 << 0,
  kPageFault = 1 << 1,
  kMigrated = 1 << 2,
  kLateStart = 1 << 3,
  kClockUncertain = 1 << 4,
  kFailedVerification = 1 << 5,
  kBlocked = 1 << 6,
  kStolen = 1 << 7,
};
inline constexpr std::array<std::string_view, 8> kFlagNames{
    "preempted",       "page_fault",          "migrated", "late_start",
    "clock_uncertain", "failed_verification", "blocked",  "stolen"};

}  // namespace leadline::probe
