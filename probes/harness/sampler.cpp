#include "harness/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/coordinate.hpp"

namespace leadline {
namespace {

constexpr std::uint32_t kChunkCapacity = 4096;
// A batch lasts this many clock readings, so that reading the clock is at most 0.5 % of a figure.
constexpr double kReadingsPerBatch = 200.0;
constexpr double kWarmUpSeconds = 0.5e-3;
constexpr std::uint32_t kWarmUpCalls = 1024;
// More than this share of late starts asks for a longer interval between agreed starts, up to so
// many times the first one: lateness that a longer interval does not cure has another cause.
constexpr double kLateShare = 0.02;
constexpr double kLongestInterval = 64.0;
// Where ranks are preempted, agreed starts are planned no further ahead than this: one that is
// missed makes those planned with it late.
constexpr double kPreemptedHorizon = 1e-3;
// A start this many clock readings after the agreed time is late.
constexpr double kLateReadings = 8.0;
// A clock error above this share of a time makes it uncertain.
constexpr double kClockShare = 0.05;

std::uint16_t disturbances(const Counters& before, const Counters& after) {
  return static_cast<std::uint16_t>(
      (after.involuntary_switches > before.involuntary_switches ? kPreempted : 0) |
      (after.page_faults > before.page_faults ? kPageFault : 0) |
      (after.cpu != before.cpu ? kMigrated : 0));
}

}  // namespace

// What rank 0 tells all ranks to do next.
struct Sampler::Chunk {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t batch = 1;
  std::uint32_t point = 0;
  double start = 0.0;     // agreed global time of the first repetition
  double interval = 0.0;  // between agreed starts
};

// One repetition over all ranks.
struct Sampler::Repetition {
  double seconds;
  std::uint32_t flags;

  static void merge(Repetition& mine, const Repetition& other) {
    mine.seconds = std::max(mine.seconds, other.seconds);
    mine.flags |= other.flags;
  }
};

Sampler::Sampler(World& world, const SamplerSettings& settings, Sink sink)
    : world_(world), settings_(settings), sink_(std::move(sink)), quality_(measure_clock(world)) {
  samples_.reserve(kChunkCapacity);
  clock_.synchronise(world_);
}

HarnessCost Sampler::cost() {
  Operation nothing;
  nothing.call = [] {};
  Chunk chunk;
  chunk.count = 1000;
  run_chunk(nothing, Start::kBackToBack, chunk);
  const double begin = world_.now();
  run_chunk(nothing, Start::kBackToBack, chunk);
  const double per_sample = (world_.now() - begin) / chunk.count;
  std::vector<double> seconds;
  for (const Sample& sample : samples_) seconds.push_back(sample.seconds);
  std::nth_element(seconds.begin(), seconds.begin() + 500, seconds.end());
  return {seconds[500], per_sample};
}

std::uint64_t Sampler::verify(const Operation& operation) {
  const std::uint64_t seed = ++settings_.seed;
  operation.fill(seed);
  barrier(world_);
  operation.call();
  barrier(world_);
  return agree(world_, static_cast<std::uint64_t>(operation.wrong_bytes(seed)),
               take_sum<std::uint64_t>);
}

// Calls until caches, connections and the processor's clock have settled; returns what one call
// takes on the slowest rank, in the round that was disturbed least.
double Sampler::warm_up(const Operation& operation) {
  double shortest = std::numeric_limits<double>::max();
  double total = 0.0;
  for (std::uint32_t calls = 1; calls <= kWarmUpCalls && total < kWarmUpSeconds; calls *= 2) {
    barrier(world_);
    const double begin = world_.now();
    for (std::uint32_t i = 0; i < calls; ++i) {
      refill(operation);
      operation.call();
    }
    const double spent = agree(world_, world_.now() - begin, take_maximum<double>);
    shortest = std::min(shortest, spent / calls);
    total += spent;
  }
  return shortest;
}

void Sampler::refill(const Operation& operation) {
  if (operation.fill_always) operation.fill(++settings_.seed);
}

void Sampler::run_repetition(const Operation& operation, Start start, const Chunk& chunk,
                             Sample& sample) {
  refill(operation);
  double begin = 0.0;
  if (start == Start::kAgreed) {
    const double agreed = chunk.start + (sample.repetition - chunk.first) * chunk.interval;
    const double deadline = clock_.to_local(agreed);
    const double time = world_.wait_until(deadline);
    if (time - deadline > kLateReadings * quality_.overhead) sample.flags |= kLateStart;
    begin = deadline;
  } else {
    if (start == Start::kBarrier) barrier(world_);
    begin = world_.now();
  }
  for (std::uint32_t i = 0; i < chunk.batch; ++i) operation.call();
  const double spent = world_.now() - begin;
  sample.seconds = spent / (static_cast<double>(chunk.batch) * operation.operations_per_call);
}

void Sampler::run_chunk(const Operation& operation, Start start, const Chunk& chunk) {
  samples_.clear();
  before_ = world_.counters();
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    Sample sample{.point = chunk.point,
                  .repetition = chunk.first + i,
                  .rank = world_.rank(),
                  .peer = operation.peer,
                  .batch = chunk.batch,
                  .series = static_cast<std::uint16_t>(std::max(0, operation.series)),
                  .flags = 0,
                  .seconds = 0.0};
    run_repetition(operation, start, chunk, sample);
    const Counters after = world_.counters();
    sample.flags |= disturbances(before_, after);
    before_ = after;
    samples_.push_back(sample);
  }
  if (start != Start::kAgreed) return;
  const double error = clock_.error(world_.now());
  for (Sample& sample : samples_) {
    if (error > kClockShare * sample.seconds) sample.flags |= kClockUncertain;
  }
}

// Rank 0 learns each repetition's longest time and all its flags.
std::vector<Sampler::Repetition> Sampler::combine(bool timed) {
  std::vector<Repetition> repetitions;
  repetitions.reserve(samples_.size());
  for (const Sample& sample : samples_) {
    repetitions.push_back({timed ? sample.seconds : 0.0, sample.flags});
  }
  reduce(world_, std::span<Repetition>(repetitions), &Repetition::merge);
  return repetitions;
}

// The start asked for; where none is, the benchmark's own, with a barrier in place of an agreed
// time that the ranks or the clocks cannot keep.
Start Sampler::choose_start(const Benchmark& benchmark, const Point& point, double each) {
  const std::string& asked = point.choice("start");
  for (const Start start : {Start::kBackToBack, Start::kAgreed, Start::kBarrier}) {
    if (asked == start_name(start)) return start;
  }
  const double error = agree(world_, clock_.error(world_.now()), take_maximum<double>);
  const bool kept = !settings_.oversubscribed && error <= kClockShare * each;
  return benchmark.start == Start::kAgreed && !kept ? Start::kBarrier : benchmark.start;
}

// What rank 0 knows of the point so far, and plans the next chunk from.
struct Sampler::Course {
  Histogram times;     // of repetitions that started in time
  double begin = 0.0;  // local time
  double each = 0.0;   // seconds that one repetition takes, all told
  double lead = 0.0;   // from planning an agreed start to that start
  double longest_interval = 0.0;
  bool preempted = false;  // in the last chunk
  bool start_agreed = false;
  bool one_timer = false;  // rank 0 alone stops a clock
};

void Sampler::plan_chunk(const Course& course, Chunk& chunk) const {
  const double now = world_.now();
  chunk.first += chunk.count;
  chunk.count =
      next_chunk(settings_.limits, chunk.first, now - course.begin, course.each, kChunkCapacity);
  if (course.preempted && course.start_agreed) {
    const double ahead = std::max(1.0, kPreemptedHorizon / chunk.interval);
    chunk.count = std::min(chunk.count, static_cast<std::uint32_t>(ahead));
  }
  chunk.start = clock_.to_global(now) + course.lead;
}

// Rank 0 takes in what the chunk brought; true when starts have to lie further apart.
bool Sampler::take_stock(const std::vector<Repetition>& repetitions, Course& course,
                         PointReport& report) {
  std::size_t late = 0;
  course.preempted = false;
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    const Repetition& repetition = repetitions[i];
    if (repetition.flags & kLateStart) {
      ++late;
    } else {
      course.times.add(repetition.seconds);
    }
    course.preempted |= (repetition.flags & kPreempted) != 0;
    // With one clock in use, what disturbed any rank disturbed its figure.
    if (course.one_timer) samples_[i].flags |= repetition.flags;
    for (std::size_t bit = 0; bit < report.flags.size(); ++bit) {
      report.flags[bit] += (repetition.flags >> bit) & 1U;
    }
  }
  return late > kLateShare * repetitions.size() && !course.preempted;
}

PointReport Sampler::measure(std::uint32_t index, const Benchmark& benchmark, const Point& point) {
  const double wall_begin = world_.now();
  if (world_.nodes() > 1 || !world_.clock_shared()) clock_.synchronise(world_);
  Operation operation = benchmark.prepare(point);
  const bool timed = operation.series != kNotTimed;

  PointReport report;
  report.bytes = operation.bytes;
  report.moved_bytes = operation.moved_bytes;
  report.wrong_bytes = verify(operation);
  if (report.wrong_bytes > 0) {
    report.stopped_by = "wrong data";
    return report;
  }
  const double call = warm_up(operation);
  const Start start = choose_start(benchmark, point, call);
  report.start = start_name(start);

  Chunk chunk;
  chunk.point = index;
  if (start == Start::kBackToBack && !operation.fill_always) {
    const double calls = kReadingsPerBatch * quality_.overhead / std::max(call, 1e-12);
    chunk.batch = static_cast<std::uint32_t>(std::clamp(std::ceil(calls), 1.0, 1e6));
  }
  Course course;
  course.each = call * chunk.batch;
  course.start_agreed = start == Start::kAgreed;
  course.one_timer = agree(world_, timed ? 1 : 0, take_sum<int>) == 1 && timed;
  chunk.interval = 1.5 * course.each + 3e-6;
  course.longest_interval = kLongestInterval * chunk.interval;
  // The first start, too, is kept only by a rank that has had the time to refill.
  course.lead = 30e-6 * std::bit_width(static_cast<unsigned>(world_.size())) +
                (operation.fill_always ? chunk.interval : 0.0);
  course.begin = world_.now();

  Verdict verdict = Verdict::kContinue;
  while (verdict == Verdict::kContinue) {
    plan_chunk(course, chunk);
    broadcast(world_, chunk);
    const double chunk_begin = world_.now();
    run_chunk(operation, start, chunk);
    course.each = (world_.now() - chunk_begin) / chunk.count;
    report.repetitions += chunk.count;
    const std::vector<Repetition> repetitions = combine(timed);
    if (world_.rank() == 0) {
      const bool too_tight = take_stock(repetitions, course, report);
      if (too_tight && 2.0 * chunk.interval <= course.longest_interval) {
        chunk.interval *= 2.0;
        course.lead *= 2.0;
      }
      verdict =
          judge(settings_.limits, course.times, report.repetitions, world_.now() - course.begin);
    }
    broadcast(world_, verdict);
    if (verdict != Verdict::kContinue) {
      report.wrong_bytes = verify(operation);
      for (Sample& sample : samples_) {
        if (report.wrong_bytes > 0) sample.flags |= kFailedVerification;
      }
    }
    collect<Sample>(world_, timed ? std::span<const Sample>(samples_) : std::span<const Sample>(),
                    sink_);
  }
  report.batch = chunk.batch;
  report.stopped_by = report.wrong_bytes > 0 ? "wrong data" : verdict_name(verdict);
  report.metrics = operation.metrics();
  report.clock_error = start == Start::kAgreed
                           ? agree(world_, clock_.error(world_.now()), take_maximum<double>)
                           : 0.0;
  report.wall_seconds = world_.now() - wall_begin;
  return report;
}

}  // namespace leadline
