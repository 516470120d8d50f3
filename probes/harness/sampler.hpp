// The only timing loop in the project.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/benchmark.hpp"
#include "harness/clock.hpp"
#include "harness/course.hpp"
#include "harness/disturbances.hpp"
#include "harness/record.hpp"
#include "harness/stopping.hpp"
#include "harness/world.hpp"

namespace leadline::probe {

// What is known of a point when it has been measured; on rank 0.
struct PointReport {
  std::optional<std::size_t> bytes;
  double moved_bytes = 0.0;
  double messages = 0.0;
  double flops = 0.0;
  std::uint32_t repetitions = 0;
  std::uint32_t batch = 1;
  int operations_per_call = 1;
  std::uint64_t wrong_bytes = 0;
  std::uint64_t failed_trials = 0;  // bit i for trial i of the benchmark, on any rank
  std::string stopped_by;
  std::string start;  // as it was really used
  std::map<std::string, double> metrics;
  FlagCounts flags{};
  std::vector<std::vector<int>> neighbours;  // of each rank; empty where no rank names any
  double clock_error = 0.0;
  double wall_seconds = 0.0;
};

// What the harness adds: to a figure of batch 1, and outside the timed region for each sample.
struct HarnessCost {
  double in_figure;
  double per_sample;
};

struct SamplerSettings {
  StoppingLimits limits;
  std::uint64_t seed = 1;
  // Ranks share cores: an agreed start cannot be kept.
  bool oversubscribed = false;
};

class Sampler {
 public:
  using Sink = std::function<void(std::span<const Sample>)>;

  // `sink` receives, on rank 0, the samples of all ranks as they come.
  Sampler(World& world, const SamplerSettings& settings, Sink sink);

  const ClockQuality& clock_quality() const { return quality_; }
  const GlobalClock& clock() const { return clock_; }
  // Seconds since the launch began to measure, as the samples count them.
  double since_epoch() const { return clock_.to_global(world_.now()) - epoch_; }
  // Times an operation that does nothing, with the code that times all others.
  HarnessCost cost();

  // Collective: prepares, verifies, warms up, measures until the limits say stop, verifies again.
  // Passes on Unavailable.
  PointReport measure(std::uint32_t index, const Benchmark& benchmark, const Point& point);

 private:
  struct Sequence;

  std::uint64_t verify(const Sequence& sequence);
  std::uint64_t count_wrong_bytes(const Sequence& sequence);
  double warm_up(const Sequence& sequence);
  void refill(const Operation& operation);
  void run_chunk(const Sequence& sequence, Start start, const Chunk& chunk);
  void time_part(const Part& part, double agreed, Start start, const Operation& operation,
                 Sample& sample);
  std::vector<Repetition> combine(const Sequence& sequence);
  void share_flags(const std::vector<Repetition>& repetitions);
  std::vector<Sample> timed_samples(const Sequence& sequence) const;
  double lead_of_start();
  Start choose_start(const Benchmark& benchmark, const Point& point, double each);

  World& world_;
  SamplerSettings settings_;
  Sink sink_;
  ClockQuality quality_;
  GlobalClock clock_;
  double verified_seconds_ = 0.0;  // of the last verified call
  double epoch_ = 0.0;             // global time from which samples count their begin
  std::vector<Sample> samples_;    // of this rank in the current chunk, every part of a repetition
  Disturbances disturbances_{world_};
};

}  // namespace leadline::probe
