#include "harness/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/coordinate.hpp"

namespace leadline::probe {
namespace {

// A batch lasts this many clock readings, so that reading the clock is at most 0.5 % of a figure.
constexpr double kReadingsPerBatch = 200.0;
constexpr double kWarmUpSeconds = 0.5e-3;
constexpr std::uint32_t kWarmUpCalls = 1024;
// A verified call that took so long has settled what a call settles.
constexpr double kSettledSeconds = 20e-3;
// A start this many clock readings after the agreed time is late.
constexpr double kLateReadings = 8.0;
// A clock error above this share of a time makes it uncertain.
constexpr double kClockShare = 0.05;
// On a simulated machine an agreed start lies ahead as long as so many values take to be agreed on.
constexpr double kLeadMessages = 4.0;

// Whether nothing that is not timed lies between repetitions.
bool follow_at_once(Start start) {
  return start == Start::kBackToBack || start == Start::kTimedBarrier;
}

}  // namespace

// The parts of a repetition, in order.
struct Sampler::Sequence {
  explicit Sequence(const Operation& operation)
      : operation(operation), parts{{operation.call, operation.series}} {
    parts.insert(parts.end(), operation.then.begin(), operation.then.end());
  }
  void call() const {
    for (const Part& part : parts) part.call();
  }
  void verified_call() const {
    if (operation.verified_call) {
      operation.verified_call();
    } else {
      call();
    }
  }
  // Whether a repetition can be verified itself, as on a simulated machine, where writing data and
  // looking at them take no time.
  bool checks_itself(const World& world, const Chunk& chunk) const {
    return world.simulated() && chunk.count * chunk.batch == 1 && parts.size() == 1 &&
           !operation.verified_call && !operation.fill_always;
  }
  bool timed() const {
    return std::ranges::any_of(parts, [](const Part& part) { return part.series != kNotTimed; });
  }
  const Operation& operation;
  std::vector<Part> parts;
};

Sampler::Sampler(World& world, const SamplerSettings& settings, Sink sink)
    : world_(world), settings_(settings), sink_(std::move(sink)), quality_(measure_clock(world)) {
  samples_.reserve(Course::kChunkCapacity);
  clock_.synchronise(world_);
  epoch_ = clock_.to_global(world_.now());
  broadcast(world_, epoch_);
}

HarnessCost Sampler::cost() {
  if (world_.simulated()) return {0.0, 0.0};
  Operation empty;
  empty.call = [] {};
  const Sequence nothing(empty);
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

std::uint64_t Sampler::verify(const Sequence& sequence) {
  sequence.operation.fill(++settings_.seed);
  barrier(world_);
  const double begin = world_.now();
  sequence.verified_call();
  verified_seconds_ = world_.now() - begin;
  barrier(world_);
  return count_wrong_bytes(sequence);
}

// Of all ranks, after a call on the data of the last seed.
std::uint64_t Sampler::count_wrong_bytes(const Sequence& sequence) {
  const std::size_t wrong = sequence.operation.wrong_bytes(settings_.seed);
  return agree(world_, std::uint64_t{wrong}, take_sum<std::uint64_t>);
}

// Calls until caches, connections and the processor's clock have settled; returns what all parts
// of one repetition take on the slowest rank, in the round that was disturbed least. The verified
// call has told that where it was long, and no batch depends on it, and on a simulated machine,
// where nothing settles.
double Sampler::warm_up(const Sequence& sequence) {
  const Operation& operation = sequence.operation;
  if (!operation.verified_call && (world_.simulated() || operation.every_call)) {
    const double verified = agree(world_, verified_seconds_, take_maximum<double>);
    if (world_.simulated() || verified > kSettledSeconds) return verified;
  }
  double shortest = std::numeric_limits<double>::max();
  double total = 0.0;
  const std::uint32_t most = world_.simulated() ? 1 : kWarmUpCalls;
  for (std::uint32_t calls = 1; calls <= most && total < kWarmUpSeconds; calls *= 2) {
    barrier(world_);
    const double begin = world_.now();
    for (std::uint32_t i = 0; i < calls; ++i) {
      refill(operation);
      sequence.call();
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

// `agreed` is the global time of the start, for agreed starts.
void Sampler::time_part(const Part& part, double agreed, Start start, const Operation& operation,
                        Sample& sample) {
  double begin = 0.0;
  if (start == Start::kAgreed) {
    const double deadline = clock_.to_local(agreed);
    const double time = world_.wait_until(deadline);
    // One process alone has agreed with nobody: whenever it begins is the start.
    const bool alone = world_.size() == 1;
    if (!alone && time - deadline > kLateReadings * quality_.overhead) sample.flags |= kLateStart;
    begin = alone ? time : deadline;
  } else {
    if (start == Start::kBarrier) barrier(world_);
    begin = world_.now();
  }
  for (std::uint32_t i = 0; i < sample.batch; ++i) {
    if (start == Start::kTimedBarrier) barrier(world_);
    part.call();
  }
  const double spent = operation.counted ? operation.counted() : world_.now() - begin;
  sample.seconds = spent / (static_cast<double>(sample.batch) * operation.operations_per_call);
  sample.begin = clock_.to_global(begin) - epoch_;
}

void Sampler::run_chunk(const Sequence& sequence, Start start, const Chunk& chunk) {
  const Operation& operation = sequence.operation;
  samples_.clear();
  if (follow_at_once(start)) barrier(world_);
  disturbances_.forget();
  double agreed = chunk.start;
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    refill(operation);
    for (const Part& part : sequence.parts) {
      Sample sample{.point = chunk.point,
                    .repetition = chunk.first + i,
                    .rank = world_.rank(),
                    .peer = operation.peer,
                    .batch = chunk.batch,
                    .series = static_cast<std::uint16_t>(std::max(0, part.series)),
                    .flags = 0,
                    .seconds = 0.0,
                    .begin = 0.0,
                    .waited = 0.0F,
                    .page_faults = 0};
      time_part(part, agreed, start, operation, sample);
      disturbances_.note(sample);
      samples_.push_back(sample);
      agreed += chunk.interval;
    }
  }
  if (start != Start::kAgreed) return;
  const double error = clock_.error(world_.now());
  for (Sample& sample : samples_) {
    if (error > kClockShare * sample.seconds) sample.flags |= kClockUncertain;
  }
}

// Rank 0 learns the time of each repetition, all its parts together, on the slowest rank, and all
// its flags.
std::vector<Repetition> Sampler::combine(const Sequence& sequence) {
  const std::size_t parts = sequence.parts.size();
  std::vector<Repetition> repetitions(samples_.size() / parts);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    Repetition& repetition = repetitions[i / parts];
    if (sequence.parts[i % parts].series != kNotTimed) repetition.seconds += samples_[i].seconds;
    repetition.flags |= samples_[i].flags;
  }
  reduce(world_, std::span<Repetition>(repetitions), &Repetition::merge);
  return repetitions;
}

// What disturbed any rank disturbed the figure of one whose clock alone counts.
void Sampler::share_flags(const std::vector<Repetition>& repetitions) {
  const std::size_t parts = samples_.size() / repetitions.size();
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    samples_[i].flags |= static_cast<std::uint16_t>(repetitions[i / parts].flags);
  }
}

std::vector<Sample> Sampler::timed_samples(const Sequence& sequence) const {
  std::vector<Sample> timed;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (sequence.parts[i % sequence.parts.size()].series != kNotTimed) timed.push_back(samples_[i]);
  }
  return timed;
}

// The start asked for; where none is, the benchmark's own, with a barrier in place of an agreed
// time that the ranks or the clocks cannot keep.
Start Sampler::choose_start(const Benchmark& benchmark, const Point& point, double each) {
  const std::string& asked = point.choice("start");
  for (const Start start :
       {Start::kBackToBack, Start::kAgreed, Start::kBarrier, Start::kTimedBarrier}) {
    if (asked == start_name(start)) return start;
  }
  const double error = agree(world_, clock_.error(world_.now()), take_maximum<double>);
  const bool kept = !settings_.oversubscribed && error <= kClockShare * each;
  return benchmark.start == Start::kAgreed && !kept ? Start::kBarrier : benchmark.start;
}

// How long before an agreed start rank 0 says so to the others.
double Sampler::lead_of_start() {
  const int ranks = world_.size();
  if (!world_.simulated()) return 30e-6 * std::bit_width(static_cast<unsigned>(ranks));
  const double begin = world_.now();
  agree(world_, ranks, take_maximum<int>);
  return kLeadMessages * (world_.now() - begin);
}

PointReport Sampler::measure(std::uint32_t index, const Benchmark& benchmark, const Point& point) {
  if (world_.simulated() && point.cold()) {
    throw Unavailable("in simulation, there are no caches: take cache=warm");
  }
  const double wall_begin = world_.now();
  if (world_.nodes() > 1 || !world_.clock_shared()) clock_.synchronise(world_);
  const Operation operation = benchmark.prepare(point);
  const Sequence sequence(operation);
  const bool timed = sequence.timed();

  PointReport report;
  report.bytes = operation.bytes;
  report.moved_bytes = operation.moved_bytes;
  report.messages = operation.messages;
  report.flops = operation.flops;
  report.operations_per_call = operation.operations_per_call;
  report.neighbours = gather_lists(world_, operation.neighbours);
  report.wrong_bytes = verify(sequence);
  if (report.wrong_bytes > 0) {
    report.stopped_by = "wrong data";
    return report;
  }
  report.failed_trials = agree(world_, operation.failed_trials(), take_union);
  const double call = warm_up(sequence);
  Start start = choose_start(benchmark, point, call * std::max(1U, operation.batch));
  const bool replaceable = start == Start::kAgreed && point.choice("start") != start_name(start);

  Chunk chunk;
  chunk.point = index;
  if (operation.batch > 0) {
    chunk.batch = operation.batch;
  } else if (follow_at_once(start) && !operation.fill_always && !operation.every_call) {
    const double each = call / static_cast<double>(sequence.parts.size());
    const double calls = kReadingsPerBatch * quality_.overhead / std::max(each, 1e-12);
    chunk.batch = static_cast<std::uint32_t>(std::clamp(std::ceil(calls), 1.0, 1e6));
  }
  const bool one_timer = agree(world_, timed ? 1 : 0, take_sum<int>) == 1 && timed;
  Course course(settings_.limits, operation.repetitions);
  course.each = call * chunk.batch;
  course.start_agreed = start == Start::kAgreed;
  chunk.interval = 1.5 * course.each + 3e-6;
  // The first start, too, is kept only by a rank that has had the time to refill.
  course.lead = lead_of_start() + (operation.fill_always ? chunk.interval : 0.0);
  course.longest_interval = Course::kLongestInterval * chunk.interval;
  course.begin = world_.now();

  Verdict verdict = Verdict::kContinue;
  while (verdict == Verdict::kContinue) {
    const double now = world_.now();
    course.plan(now, clock_.to_global(now), chunk);
    broadcast(world_, chunk);
    const double chunk_begin = world_.now();
    const bool checks_itself = sequence.checks_itself(world_, chunk);
    if (checks_itself) operation.fill(++settings_.seed);
    run_chunk(sequence, start, chunk);
    course.each = (world_.now() - chunk_begin) / chunk.count;
    report.repetitions += chunk.count;
    const std::vector<Repetition> repetitions = combine(sequence);
    if (world_.rank() == 0) {
      course.take(repetitions, chunk, report.flags);
      if (one_timer) share_flags(repetitions);
      verdict = course.judged(world_.now());
      // On a machine that is too busy to keep any agreed start, ranks still start after a barrier.
      if (verdict != Verdict::kContinue && replaceable && course.all_late()) {
        start = Start::kBarrier;
        course.begin_again(world_.now());
        verdict = Verdict::kContinue;
      }
    }
    broadcast(world_, start);
    broadcast(world_, verdict);
    if (verdict != Verdict::kContinue) {
      report.wrong_bytes = checks_itself ? count_wrong_bytes(sequence) : verify(sequence);
      for (Sample& sample : samples_) {
        if (report.wrong_bytes > 0) sample.flags |= kFailedVerification;
      }
    }
    collect<Sample>(world_, timed_samples(sequence), sink_);
  }
  report.start = start_name(start);
  report.batch = chunk.batch;
  report.stopped_by = report.wrong_bytes > 0 ? "wrong data" : verdict_name(verdict);
  report.metrics = operation.metrics();
  report.clock_error = start == Start::kAgreed
                           ? agree(world_, clock_.error(world_.now()), take_maximum<double>)
                           : 0.0;
  report.wall_seconds = world_.now() - wall_begin;
  return report;
}

}  // namespace leadline::probe
