// A benchmark is a value with a body: its name, what it measures, its axes, what it moves, what
// the right answer is, and the call. The harness alone owns warm-up, timing, stopping and
// verification.
//
// One benchmark is one file in probes/benchmarks/FAMILY/ with one `const Registration`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/world.hpp"

namespace leadline::probe {

// A word may be any that the front end offers, such as a compiler that it found.
enum class AxisKind { kBytes, kInteger, kNumber, kChoice, kWord };

// One parameter. `default_values` is written as on the command line: "0,1:4M:x2"; `quick_values`
// likewise, for a look at everything in little time (empty: all choices, or the default values).
struct Axis {
  std::string name;
  AxisKind kind;
  std::string summary;
  std::string default_values;
  std::vector<std::string> choices = {};
  double minimum = 0.0;
  double maximum = 0.0;  // 0: none
  int multiple_of = 1;
  std::string quick_values = {};
  // Its choices are ways to do the same, which are compared; false where they are different tasks.
  bool ways = true;
};

// What a program that does the same work may do with the sizes: have the data of several calls in
// one, those of one call in several, or hand over more than it needs. Advice on sizes rests on it.
struct Sizes {
  bool join = false;
  bool split = false;
  bool pad = false;
};
// Of messages between two ranks.
inline constexpr Sizes kMessageSizes{.join = true, .split = true, .pad = true};
// Of what all ranks do together: what a program needs at one moment it cannot have with the next.
inline constexpr Sizes kCollectiveSizes{.split = true, .pad = true};

// Its quick values are a small and a large size.
Axis bytes_axis(std::string default_values, std::string summary = "message size",
                int multiple_of = 1);
Axis choice_axis(std::string name, std::string summary, std::vector<std::string> choices);
// The same for choices that are different tasks.
Axis task_axis(std::string name, std::string summary, std::vector<std::string> choices);

// How many processes a benchmark can use; `maximum` 0 means any number.
struct Processes {
  int minimum = 1;
  int maximum = 0;
  int multiple_of = 1;
};

// One time that a benchmark reports: what it is and who stops the clock.
struct Series {
  std::string name;
  std::string definition;
  // Axes with whose values it ends at another moment, such as before or after the data are there:
  // by it they are not compared.
  std::vector<std::string> ends_by = {};
};

// How the repetitions start.
enum class Start {
  kBackToBack,    // one after the other; ranks wait for each other only as the operation does
  kAgreed,        // at a time agreed beforehand on the synchronised clocks
  kBarrier,       // after a barrier of the harness
  kTimedBarrier,  // with a barrier of the harness, whose time counts, before every call
};

// One of several calls that a repetition makes one after the other, each timed for itself.
struct Part {
  std::function<void()> call;
  int series = 0;
};

// One operation on this rank, ready to be called again and again.
struct Operation {
  // The call that is timed. Every rank calls it equally often.
  std::function<void()> call;
  // New content for the next call, different for every seed. Untimed.
  std::function<void(std::uint64_t seed)> fill = [](std::uint64_t) {};
  // New content before every call, not only before those that are verified; for a receiver that
  // looks at the data to learn that they have come. Batches are of one call then.
  bool fill_always = false;
  // After that call: how many bytes on this rank are not what they must be. Untimed.
  std::function<std::size_t(std::uint64_t seed)> wrong_bytes;
  // What is called where data are verified, in place of `call` and of what follows; for a check
  // that must be made the moment that the operation says they are there, or that takes another
  // time: what a benchmark does not declare here may be timed and verified in one.
  std::function<void()> verified_call = {};
  // Series of this rank's samples, or kNotTimed.
  int series = 0;
  // What follows in the same repetition. Each part starts as the first one does.
  std::vector<Part> then = {};
  // A sample for every call, however short: no batches.
  bool every_call = false;
  // Calls in a sample, one after the other; 0: one, or so many as the clock asks for where they
  // start back to back.
  std::uint32_t batch = 0;
  // Seconds of the last call as the operation itself counts them, in place of what the harness
  // timed; for calls that fill a fixed span of time. With `every_call`.
  std::function<double()> counted = {};
  // So many repetitions in one row, whatever their precision and time; 0: as the plan's limits say.
  std::uint32_t repetitions = 0;
  int peer = -1;
  // The ranks that this one waits for in the operation, where they are not all: a delay is followed
  // through them to the rank that caused it.
  std::vector<int> neighbours = {};
  // Operations in one call: 2 for a round trip whose one-way time is reported.
  int operations_per_call = 1;
  // The message size that the figure is listed under, where there is one, and the bytes that one
  // operation moves for the bandwidth (0: no bandwidth).
  std::optional<std::size_t> bytes;
  double moved_bytes = 0.0;
  // Messages that one operation sends, over all ranks, for the message rate (0: no rate).
  double messages = 0.0;
  // Floating-point operations in one operation, over all ranks, for the rate (0: no rate).
  double flops = 0.0;
  // Which of the benchmark's trials the operation fails on this rank: bit i for trial i. Untimed,
  // asked once. What fails is measured all the same, and never counts as the fastest.
  std::function<std::uint64_t()> failed_trials = [] { return std::uint64_t{0}; };
  // What is reported beside times, after the last call; names end in their unit. `SERIES.NAME` is
  // of that series alone.
  std::function<std::map<std::string, double>()> metrics = [] {
    return std::map<std::string, double>{};
  };
};
inline constexpr int kNotTimed = -1;

// An operation that calls, fills and checks as `body` does.
template <typename Body>
Operation operation_of(const std::shared_ptr<Body>& body) {
  Operation operation;
  if constexpr (requires { body->call(); }) operation.call = [body] { body->call(); };
  operation.fill = [body](std::uint64_t seed) { body->fill(seed); };
  operation.wrong_bytes = [body](std::uint64_t seed) -> std::size_t {
    if constexpr (requires { body->wrong_bytes(seed); }) return body->wrong_bytes(seed);
    if constexpr (requires { body->wrong_bytes(); }) return body->wrong_bytes();
  };
  return operation;
}

// Thrown by `prepare`, on every rank alike: this point cannot be measured here, and why. It is left
// out and the others go on.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The launch around a point.
struct Surroundings {
  // The launch's own number, the same on all ranks, for whatever is drawn at random.
  std::uint64_t seed = 0;
  // Its folder, for rank 0 alone: others may not see it.
  std::string folder = {};
  // Ranks share cores: one that waits without sleep takes time from another.
  bool oversubscribed = false;
};

// The point that a benchmark prepares: the values of its axes, and buffers.
class Point {
 public:
  Point(World& world, std::map<std::string, std::string> values, std::string library = {},
        Surroundings launch = {});

  World& world() const { return world_; }
  std::uint64_t seed() const { return launch_.seed; }
  const std::string& folder() const { return launch_.folder; }
  bool oversubscribed() const { return launch_.oversubscribed; }
  std::size_t bytes(const std::string& axis = "bytes") const;
  std::int64_t integer(const std::string& axis) const;
  double number(const std::string& axis) const;
  const std::string& choice(const std::string& axis) const;
  bool has(const std::string& axis) const { return values_.contains(axis); }
  // The shared library that was built for this point, of benchmarks with `kernels`; empty where
  // the kernel comes with the probe.
  const std::string& library() const { return library_; }
  bool cold() const { return choice("cache") == "cold"; }
  // A buffer that is warm or cold as the point asks.
  Buffer buffer(std::size_t bytes) const { return {bytes, cold()}; }

 private:
  World& world_;
  std::map<std::string, std::string> values_;
  std::string library_;
  Surroundings launch_;
};

// An operation that calls, fills and checks as `body` does, and moves the point's bytes once.
template <typename Body>
Operation operation_of(const Point& point, const std::shared_ptr<Body>& body) {
  Operation operation = operation_of(body);
  operation.bytes = point.bytes();
  operation.moved_bytes = static_cast<double>(point.bytes());
  return operation;
}

const char* start_name(Start start);

// What a sensible library keeps (a self-consistent performance guideline: Traeff, Gropp, Thakur,
// IEEE TPDS 21(5), 2010): the benchmark at its default choices is not slower than these together,
// which do the same.
struct Guideline {
  struct Term {
    std::string benchmark;
    // Its message size over that of the benchmark: 1, the number of processes, or its inverse.
    enum class Size { kSame, kTimesProcesses, kOverProcesses } size = Size::kSame;
    // This size instead, whatever the benchmark's, which may have none; 0: as above.
    std::size_t bytes = 0;
  };
  std::vector<Term> terms;
};

// Says that a series is the time of one message until the target knows that it may use the data: so
// puts and messages can be compared.
struct Delivery {
  enum class Sides { kOneSided, kTwoSided } sides;
  std::string series;
  // Only at these values of its axes; an axis that is not named may have any.
  std::map<std::string, std::vector<std::string>> where = {};
};

// What a benchmark cannot beat: the rate, of moved bytes or of floating-point operations, at which
// another one runs on as many processes (a roof of the roofline model: Williams, Waterman,
// Patterson, CACM 52(4), 2009). Both count what all ranks together move, or compute.
struct Roof {
  std::string benchmark;
  // Its values where they are not the default ones.
  std::map<std::string, std::string> values = {};
  // Where its rate depends on a size: the axis which has it, and the axis of this benchmark that it
  // is `times` as large as.
  std::string size_axis = {};
  std::string of_axis = {};
  double times = 1.0;
};

// A figure of a benchmark that people know by a name, such as the latency of a small message: of
// the times a small size's, of the rates a large one's.
struct Headline {
  enum class Of : unsigned char { kTime, kRate } of;
  std::string title;
};

// What the hardware does with as many bytes: the rate of another benchmark on as many processes.
struct Yardstick {
  std::string benchmark;
  std::string title;
  std::map<std::string, std::string> values = {};
};

// One property that an answer must have, beside being right on usual data.
struct Trial {
  std::string name;
  std::string definition;
};

struct Benchmark {
  std::string name;
  // What people call it: the function of the standard, or the field's noun, as in "MPI_Allreduce"
  // and "Ping-pong".
  std::string title;
  std::string summary;
  std::vector<Axis> axes;
  Sizes sizes = {};
  Processes processes = {};
  std::vector<Series> series;
  Start start = Start::kBackToBack;
  // Collective: every rank prepares its side. Whatever the operation needs lives in its closures.
  std::function<Operation(const Point&)> prepare;
  // The starts that can be asked for; empty: all of them.
  std::vector<Start> starts = {};
  std::vector<Guideline> guidelines = {};
  std::optional<Delivery> delivery = {};
  std::vector<Roof> roofs = {};
  // Of a benchmark without any the headlines are the times of its smallest and largest size.
  std::vector<Headline> headlines = {};
  // Inside a node, where the run has measured them.
  std::vector<Yardstick> yardsticks = {};
  std::vector<Trial> trials = {};
  // The folder in kernels/ whose variants are measured, each built with every compiler and set of
  // flags that is asked for; its axes are `variant`, `compiler` and `flags`.
  std::string kernels = {};
  // Its sizes are those of messages: false where they say how much one process works on, or moves
  // to and from a file.
  bool messages = true;
};

// Throws std::invalid_argument for a number of processes, or a value of an axis, that the
// benchmark does not allow. The front end has checked before; this keeps hand-written plans from
// hanging.
void check(const Benchmark& benchmark, const std::map<std::string, std::string>& values,
           int processes);

// The harness's own parameters, which every benchmark has: start, cache.
const std::vector<Axis>& harness_settings();

const std::map<std::string, Benchmark>& benchmarks();

// Makes a benchmark known. Its file must be one of the executable's own sources.
class Registration {
 public:
  explicit Registration(Benchmark benchmark);
  // For axes whose values are other things that make themselves known, such as algorithms:
  // `declare` is called when all of them have.
  explicit Registration(Benchmark (*declare)());
};

}  // namespace leadline::probe
