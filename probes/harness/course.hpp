// How the measurement of a point goes on: what rank 0 knows so far, and plans from that.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/record.hpp"
#include "harness/stopping.hpp"

namespace leadline::probe {

// In how many repetitions each flag was set.
using FlagCounts = std::array<std::uint64_t, kFlagNames.size()>;

// What rank 0 tells all ranks to do next.
struct Chunk {
  std::uint32_t first = 0;  // repetition
  std::uint32_t count = 0;
  std::uint32_t batch = 1;
  std::uint32_t point = 0;
  double start = 0.0;     // agreed global time of the first part of the first repetition
  double interval = 0.0;  // between agreed starts
};

// One repetition over all ranks.
struct Repetition {
  double seconds = 0.0;
  std::uint32_t flags = 0;

  static void merge(Repetition& mine, const Repetition& other);
};

class Course {
 public:
  static constexpr std::uint32_t kChunkCapacity = 4096;
  // The interval between agreed starts grows to so many times the first one: lateness that a longer
  // one does not cure has another cause.
  static constexpr double kLongestInterval = 64.0;

  // `repetitions` is the number that the operation asks for, or 0: as the limits say.
  Course(const StoppingLimits& limits, std::uint32_t repetitions)
      : limits_(limits), repetitions_(repetitions) {}

  double begin = 0.0;  // local time
  double each = 0.0;   // seconds that one repetition takes, all told
  double lead = 0.0;   // from planning an agreed start to that start
  double longest_interval = 0.0;
  bool start_agreed = false;

  // Makes `chunk` the next one.
  void plan(double now, double global_now, Chunk& chunk) const;
  // Takes in what a chunk brought, and sets starts further apart where they were too tight.
  void take(const std::vector<Repetition>& repetitions, Chunk& chunk, FlagCounts& flags);
  Verdict judged(double now) const;
  // Whether no repetition started in time, so that none can be used.
  bool all_late() const { return taken_ > 0 && in_time_ == 0; }
  // Measures as much again from the local time `now`, with starts that are not agreed.
  void begin_again(double now);

 private:
  StoppingLimits limits_;
  std::uint32_t repetitions_;
  Histogram times_;            // of repetitions that started in time
  std::uint32_t taken_ = 0;    // repetitions
  std::uint32_t in_time_ = 0;  // of these
  bool preempted_ = false;     // in the last chunk
};

}  // namespace leadline::probe
