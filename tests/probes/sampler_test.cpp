#include "harness/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include "comm/thread_world.hpp"

using namespace leadline::probe;

namespace {

struct Measured {
  PointReport report;
  std::vector<Sample> samples;
};

// What one rank's operation does, given its world and the number of the call.
using Body = std::function<void(ThreadWorld&, std::int64_t)>;

// `right_until` is the number of verifications that find the data right.
Benchmark benchmark_of(Start start, const Body& body, int right_until = 1000) {
  Benchmark benchmark;
  benchmark.name = "test/body";
  benchmark.start = start;
  benchmark.prepare = [body, right_until](const Point& point) {
    auto& world = dynamic_cast<ThreadWorld&>(point.world());
    Operation operation;
    operation.call = [&world, body, calls = std::int64_t{0}]() mutable { body(world, calls++); };
    operation.wrong_bytes = [right_until, verifications = 0](std::uint64_t) mutable {
      return ++verifications > right_until ? 3U : 0U;
    };
    operation.bytes = 8;
    return operation;
  };
  return benchmark;
}

// The same with an operation that is changed on each rank.
using Change = std::function<void(ThreadWorld&, Operation&)>;
Benchmark changed(Start start, const Body& body, const Change& change) {
  Benchmark benchmark = benchmark_of(start, body);
  benchmark.prepare = [prepare = benchmark.prepare, change](const Point& point) {
    Operation operation = prepare(point);
    change(dynamic_cast<ThreadWorld&>(point.world()), operation);
    return operation;
  };
  return benchmark;
}

const Body kQuick = [](ThreadWorld& world, auto) { world.advance(1e-6); };
const Body kSlow = [](ThreadWorld& world, auto) { world.advance(1e-3); };

Measured measure(const ThreadWorldSettings& settings, const Benchmark& benchmark,
                 SamplerSettings sampling = {}, const std::string& start = "default") {
  Measured measured;
  run_threads(settings, [&](ThreadWorld& world) {
    Sampler sampler(world, sampling, [&](std::span<const Sample> samples) {
      measured.samples.insert(measured.samples.end(), samples.begin(), samples.end());
    });
    const Point point(world, {{"start", start}, {"cache", "warm"}});
    const PointReport report = sampler.measure(7, benchmark, point);
    if (world.rank() == 0) measured.report = report;
  });
  return measured;
}

double median(std::vector<Sample> samples) {
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.seconds < b.seconds; });
  return samples.at(samples.size() / 2).seconds;
}

ThreadWorldSettings ranks(int count) { return {.ranks = count}; }

}  // namespace

TEST_CASE("a steady operation is timed right and stops by precision") {
  const Benchmark steady = benchmark_of(Start::kBackToBack, kQuick);
  const Measured measured = measure(ranks(1), steady);
  CHECK(measured.report.stopped_by == "precision");
  CHECK(measured.report.repetitions == 20);
  CHECK(measured.samples.size() == 20);
  // 200 readings of 20 ns each make a batch of 4 calls of 1 us; one reading is part of the figure.
  CHECK(measured.report.batch == 4);
  CHECK(median(measured.samples) == doctest::Approx(1e-6 + 2e-8 / 4).epsilon(1e-6));
  for (std::uint32_t i = 0; i < measured.samples.size(); ++i) {
    CHECK(measured.samples[i].point == 7);
    CHECK(measured.samples[i].repetition == i);
    CHECK(measured.samples[i].batch == 4);
  }
}

TEST_CASE("with agreed starts each rank's time counts from one instant on all nodes") {
  const ThreadWorldSettings settings{.ranks = 4, .nodes = 4, .clock_offset = 0.7};
  const Benchmark uneven = benchmark_of(
      Start::kAgreed, [](ThreadWorld& world, auto) { world.advance(1e-4 * (1 + world.rank())); });
  const Measured measured = measure(settings, uneven);
  CHECK(measured.report.start == "agreed");
  CHECK(measured.report.clock_error > 0.0);
  for (const Sample& sample : measured.samples) {
    CHECK((sample.flags & kLateStart) == 0);
    CHECK(sample.seconds == doctest::Approx(1e-4 * (1 + sample.rank)).epsilon(2e-2));
  }
}

TEST_CASE("where clocks cannot keep an agreed start, a barrier takes its place") {
  const ThreadWorldSettings settings{.ranks = 4, .nodes = 4, .clock_offset = 0.7};
  CHECK(measure(settings, benchmark_of(Start::kAgreed, kQuick)).report.start == "barrier");
  const Measured asked = measure(settings, benchmark_of(Start::kAgreed, kQuick), {}, "agreed");
  CHECK(asked.report.start == "agreed");
  CHECK(asked.report.flags[4] == asked.report.repetitions);  // clock_uncertain

  SamplerSettings sampling;
  sampling.oversubscribed = true;
  CHECK(measure(ranks(2), benchmark_of(Start::kAgreed, kSlow), sampling).report.start == "barrier");
}

TEST_CASE("a long verified call of those that are not batched has warmed up") {
  SamplerSettings once;
  once.limits.minimum = once.limits.maximum = 1;
  const auto calls_of = [&](double seconds, bool every_call) {
    std::atomic<int> calls = 0;
    const Body counted = [&](ThreadWorld& world, auto) {
      world.advance(seconds);
      calls += world.rank() == 0 ? 1 : 0;
    };
    const Benchmark benchmark =
        changed(Start::kBackToBack, counted,
                [&](ThreadWorld&, Operation& operation) { operation.every_call = every_call; });
    const Measured measured = measure(ranks(2), benchmark, once);
    CHECK(median(measured.samples) == doctest::Approx(seconds).epsilon(1e-3));
    return calls.load();
  };
  // Verified, timed, verified; and warmed up once where a batch may depend on it, or a call is
  // short.
  CHECK(calls_of(30e-3, true) == 3);
  CHECK(calls_of(30e-3, false) == 4);
  CHECK(calls_of(3e-3, true) == 4);
}

TEST_CASE("on a simulated machine the one call that is timed is the second, and verified") {
  const ThreadWorldSettings settings{.ranks = 2, .clock_reading = 0.0, .simulated = true};
  SamplerSettings once;
  once.limits.minimum = once.limits.maximum = 1;
  std::atomic<int> calls = 0;
  const Body counted = [&](ThreadWorld& world, auto) {
    world.advance(1e-3);
    calls += world.rank() == 0 ? 1 : 0;
  };
  const Measured right = measure(settings, benchmark_of(Start::kAgreed, counted), once);
  CHECK(calls == 2);
  CHECK(right.report.wrong_bytes == 0);
  CHECK(median(right.samples) == doctest::Approx(1e-3).epsilon(1e-3));
  const Measured wrong = measure(settings, benchmark_of(Start::kAgreed, counted, 1), once);
  CHECK(wrong.report.wrong_bytes == 2 * 3);
  CHECK(wrong.report.stopped_by == "wrong data");
  CHECK((wrong.samples.at(0).flags & kFailedVerification) != 0);
}

TEST_CASE("on a simulated machine a call that takes longer to be verified is timed by itself") {
  const ThreadWorldSettings settings{.ranks = 2, .clock_reading = 0.0, .simulated = true};
  SamplerSettings once;
  once.limits.minimum = once.limits.maximum = 1;
  const Body body = [](ThreadWorld& world, auto) { world.advance(1e-4); };
  const Benchmark late =
      changed(Start::kAgreed, body, [](ThreadWorld& world, Operation& operation) {
        operation.verified_call = [&world, call = operation.call] {
          world.advance(2e-3);
          call();
        };
      });
  CHECK(median(measure(settings, late, once).samples) == doctest::Approx(1e-4).epsilon(1e-2));
}

TEST_CASE("a timed barrier adds its rounds, and the wait for the slowest, to each call") {
  const ThreadWorldSettings settings{.ranks = 4, .latency = 3e-6};
  const Benchmark uneven = benchmark_of(Start::kBackToBack, [](ThreadWorld& world, auto) {
    world.advance(1e-5 * (1 + world.rank()));
  });
  const Measured alone = measure(settings, uneven, {}, "barrier");
  const Measured together = measure(settings, uneven, {}, "timed_barrier");
  CHECK(alone.report.start == "barrier");
  CHECK(together.report.start == "timed_barrier");
  const auto of_rank = [](const Measured& measured, std::int32_t rank) {
    std::vector<Sample> own;
    for (const Sample& each : measured.samples) {
      if (each.rank == rank) own.push_back(each);
    }
    return median(own);
  };
  CHECK(of_rank(alone, 0) == doctest::Approx(1e-5).epsilon(0.05));
  CHECK(of_rank(alone, 3) == doctest::Approx(4e-5).epsilon(0.05));
  // Two rounds of 3 us, and for all the 40 us of the slowest.
  for (const std::int32_t rank : {0, 3}) {
    CHECK(of_rank(together, rank) == doctest::Approx(4.6e-5).epsilon(0.1));
  }
}

TEST_CASE("a rank that comes late to an agreed start is flagged") {
  // Every tenth call takes so long that the next agreed start is missed.
  const Benchmark hiccup = benchmark_of(Start::kAgreed, [](ThreadWorld& world, std::int64_t call) {
    world.advance(world.rank() == 1 && call % 10 == 0 ? 1e-2 : 1e-5);
  });
  SamplerSettings sampling;
  sampling.limits.maximum = 60;
  sampling.limits.precision = 1e-6;
  const Measured measured = measure(ranks(2), hiccup, sampling);
  CHECK(measured.report.flags[3] > 0);
  for (const Sample& sample : measured.samples) {
    if (!(sample.flags & kLateStart)) continue;
    CHECK(sample.rank == 1);
  }
}

TEST_CASE("where every agreed start is missed, a barrier takes its place") {
  // Data are filled at once while it warms up, and later take longer than any start is ahead.
  const Body body = [](ThreadWorld& world, auto) { world.advance(1e-5); };
  const Benchmark busy =
      changed(Start::kAgreed, body, [](ThreadWorld& world, Operation& operation) {
        operation.fill = [&world, fills = 0](std::uint64_t) mutable {
          world.advance(++fills > 64 ? 1e-2 : 1e-7);
        };
        operation.fill_always = true;
      });
  SamplerSettings sampling;
  sampling.limits.minimum = 8;
  sampling.limits.maximum = 8;
  const auto late = [](const Sample& sample) { return (sample.flags & kLateStart) != 0; };
  const auto count_late = [&](const Measured& measured) {
    return std::count_if(measured.samples.begin(), measured.samples.end(), late);
  };
  const Measured measured = measure(ranks(2), busy, sampling);
  CHECK(measured.report.start == "barrier");
  CHECK(measured.report.repetitions == 16);
  CHECK(measured.samples.size() == 32);
  CHECK(count_late(measured) == 16);
  for (const Sample& sample : measured.samples) CHECK(late(sample) == (sample.repetition < 8));
  // What was asked for is taken as it is.
  const Measured asked = measure(ranks(2), busy, sampling, "agreed");
  CHECK(asked.report.start == "agreed");
  CHECK(asked.report.repetitions == 8);
  CHECK(count_late(asked) == 16);
}

TEST_CASE("one process has no agreed start to be late for") {
  const Benchmark hiccup = benchmark_of(Start::kAgreed, [](ThreadWorld& world, std::int64_t call) {
    world.advance(call % 2 == 0 ? 1e-2 : 1e-5);
  });
  SamplerSettings sampling;
  sampling.limits.maximum = 60;
  sampling.limits.precision = 1e-6;
  const Measured measured = measure(ranks(1), hiccup, sampling, "agreed");
  CHECK(measured.report.start == "agreed");
  CHECK(measured.report.flags[3] == 0);
  for (const Sample& sample : measured.samples) {
    // Being late is no part of the time, either.
    CHECK(sample.seconds < 1.1e-2);
  }
}

TEST_CASE("wrong data ends the point before anything is timed") {
  const Benchmark wrong = benchmark_of(Start::kBackToBack, kQuick, 0);
  const Measured measured = measure(ranks(2), wrong);
  CHECK(measured.report.stopped_by == "wrong data");
  CHECK(measured.report.wrong_bytes == 6);
  CHECK(measured.samples.empty());
}

TEST_CASE("data are verified with the call that is made for it, which is never timed") {
  int calls = 0;
  int verified_calls = 0;
  int calls_since = 0;
  const Body body = [&](ThreadWorld& world, auto) {
    world.advance(1e-6);
    ++calls;
    ++calls_since;
  };
  const Benchmark benchmark =
      changed(Start::kBackToBack, body, [&](ThreadWorld& world, Operation& operation) {
        operation.then = {{operation.call, 0}};
        operation.verified_call = [&] {
          world.advance(1.0);
          ++verified_calls;
          calls_since = 0;
        };
        operation.wrong_bytes = [&](std::uint64_t) -> std::size_t { return calls_since > 0; };
      });
  const Measured measured = measure(ranks(1), benchmark);
  CHECK(verified_calls == 2);
  CHECK(calls > 0);
  CHECK(measured.report.wrong_bytes == 0);
  for (const Sample& sample : measured.samples) CHECK(sample.seconds < 1e-3);
}

TEST_CASE(
    "an operation chooses its batch, and what fails a trial on any rank is measured and told") {
  const Benchmark benchmark =
      changed(Start::kBackToBack, kQuick, [](ThreadWorld& world, Operation& operation) {
        operation.batch = 1000;
        operation.flops = 200.0;
        operation.failed_trials = [&world] { return std::uint64_t{1} << world.rank(); };
      });
  const Measured measured = measure(ranks(2), benchmark);
  CHECK(measured.report.batch == 1000);
  CHECK(measured.report.flops == 200.0);
  CHECK(measured.report.failed_trials == 3);
  CHECK(measured.report.wrong_bytes == 0);
  CHECK(measured.samples.size() == 2 * measured.report.repetitions);
}

TEST_CASE("seconds that an operation counts itself are what a sample holds") {
  const Benchmark benchmark =
      changed(Start::kBackToBack, kSlow, [](ThreadWorld&, Operation& operation) {
        operation.every_call = true;
        operation.repetitions = 10;
        operation.counted = [] { return 0.25; };
      });
  const Measured measured = measure(ranks(1), benchmark);
  CHECK(measured.samples.size() == 10);
  for (const Sample& sample : measured.samples) CHECK(sample.seconds == 0.25);
}

TEST_CASE("data that turn wrong while they are measured are found, and flagged") {
  const Benchmark turning = benchmark_of(Start::kBackToBack, kQuick, 1);
  const Measured measured = measure(ranks(1), turning);
  CHECK(measured.report.stopped_by == "wrong data");
  CHECK(measured.report.wrong_bytes == 3);
  REQUIRE(!measured.samples.empty());
  CHECK((measured.samples.back().flags & kFailedVerification) != 0);
}

TEST_CASE("what the operating system did stands on the sample it did it to") {
  const Benchmark taken = benchmark_of(Start::kBackToBack, [](ThreadWorld& world, auto call) {
    world.advance(1e-3);
    if (call == 20) world.preempt(0.0);
  });
  const Measured measured = measure(ranks(1), taken);
  CHECK(measured.report.flags[0] == 1);
  CHECK(std::count_if(measured.samples.begin(), measured.samples.end(),
                      [](const Sample& sample) { return sample.flags & kPreempted; }) == 1);
}

TEST_CASE("a point that stays wild ends with its time, and says so") {
  const Benchmark wild = benchmark_of(Start::kBackToBack, [](ThreadWorld& world, auto call) {
    world.advance(call % 2 ? 1e-3 : 3e-3);
  });
  SamplerSettings sampling;
  sampling.limits.seconds = 0.5;
  const Measured measured = measure(ranks(1), wild, sampling);
  CHECK(measured.report.stopped_by == "seconds");
  CHECK(measured.report.wall_seconds == doctest::Approx(0.5).epsilon(0.1));
}

TEST_CASE("the harness knows what it adds to a figure") {
  run_threads(ranks(1), [](ThreadWorld& world) {
    Sampler sampler(world, {}, [](std::span<const Sample>) {});
    const HarnessCost cost = sampler.cost();
    CHECK(cost.in_figure == doctest::Approx(2e-8).epsilon(1e-3));
    CHECK(cost.per_sample == doctest::Approx(4e-8).epsilon(1e-2));
  });
}

TEST_CASE("every part of a repetition is timed for itself") {
  const Body first = [](ThreadWorld& world, auto) { world.advance(1e-4); };
  const Benchmark parts =
      changed(Start::kBackToBack, first, [](ThreadWorld& world, Operation& operation) {
        operation.then = {{[&world] { world.advance(2e-4); }, kNotTimed},
                          {[&world] { world.advance(3e-4); }, 1}};
        operation.repetitions = 100;
        operation.neighbours = {1 - world.rank()};
      });
  const Measured measured = measure(ranks(2), parts);
  CHECK(measured.report.stopped_by == "repetitions");
  CHECK(measured.report.repetitions == 100);
  CHECK(measured.report.neighbours == std::vector<std::vector<int>>{{1}, {0}});
  CHECK(measured.samples.size() == 400);
  std::map<int, double> begins;
  for (const Sample& sample : measured.samples) {
    CHECK(sample.seconds == doctest::Approx(sample.series == 0 ? 1e-4 : 3e-4).epsilon(1e-3));
    CHECK(sample.begin > begins[sample.rank]);
    begins[sample.rank] = sample.begin;
  }
}

TEST_CASE("a sample tells how long its rank waited for its core") {
  Benchmark preempted = benchmark_of(Start::kBackToBack, [](ThreadWorld& world, std::int64_t call) {
    world.advance(1e-4);
    if (call % 50 == 49) world.preempt(4e-3);
  });
  SamplerSettings sampling;
  sampling.limits.minimum = 200;
  const Measured measured = measure(ranks(1), preempted, sampling);
  int found = 0;
  for (const Sample& sample : measured.samples) {
    CHECK((sample.waited > 0.0F) == ((sample.flags & kPreempted) != 0));
    if (sample.waited == 0.0F) continue;
    ++found;
    CHECK(sample.waited == doctest::Approx(4e-3));
  }
  CHECK(found == 4);
}

TEST_CASE("a point that cannot be measured here says so") {
  Benchmark absent;
  absent.name = "test/absent";
  absent.prepare = [](const Point&) -> Operation { throw Unavailable("no such thing here"); };
  CHECK_THROWS_AS(measure(ranks(2), absent), Unavailable);
}
