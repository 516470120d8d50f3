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
#include <string>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/world.hpp"

namespace leadline {

enum class AxisKind { kBytes, kInteger, kNumber, kChoice };

// One parameter. `default_values` is written as on the command line: "0,1:4M:x2".
struct Axis {
  std::string name;
  AxisKind kind;
  std::string summary;
  std::string default_values;
  std::vector<std::string> choices = {};
  double minimum = 0.0;
  double maximum = 0.0;  // 0: none
  int multiple_of = 1;
};

Axis bytes_axis(std::string default_values, std::string summary = "message size",
                int multiple_of = 1);
Axis choice_axis(std::string name, std::string summary, std::vector<std::string> choices);

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
};

// How the repetitions start.
enum class Start {
  kBackToBack,  // one after the other; ranks wait for each other only as the operation does
  kAgreed,      // at a time agreed beforehand on the synchronised clocks
  kBarrier,     // after a barrier of the harness
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
  // Series of this rank's samples, or kNotTimed.
  int series = 0;
  int peer = -1;
  // Operations in one call: 2 for a round trip whose one-way time is reported.
  int operations_per_call = 1;
  // The message size that the figure is listed under, where there is one, and the bytes that one
  // operation moves for the bandwidth (0: no bandwidth).
  std::optional<std::size_t> bytes;
  double moved_bytes = 0.0;
  // What is reported beside times, after the last call; names end in their unit.
  std::function<std::map<std::string, double>()> metrics = [] {
    return std::map<std::string, double>{};
  };
};
inline constexpr int kNotTimed = -1;

// The point that a benchmark prepares: the values of its axes, and buffers.
class Point {
 public:
  Point(World& world, std::map<std::string, std::string> values, std::uint64_t seed = 0);

  World& world() const { return world_; }
  // The launch's own number, the same on all ranks, for whatever is drawn at random.
  std::uint64_t seed() const { return seed_; }
  std::size_t bytes(const std::string& axis = "bytes") const;
  std::int64_t integer(const std::string& axis) const;
  double number(const std::string& axis) const;
  const std::string& choice(const std::string& axis) const;
  bool cold() const { return choice("cache") == "cold"; }
  // A buffer that is warm or cold as the point asks.
  Buffer buffer(std::size_t bytes) const { return {bytes, cold()}; }

 private:
  World& world_;
  std::map<std::string, std::string> values_;
  std::uint64_t seed_;
};

const char* start_name(Start start);

struct Benchmark {
  std::string name;
  std::string summary;
  std::vector<Axis> axes;
  Processes processes;
  std::vector<Series> series;
  Start start;
  // Collective: every rank prepares its side. Whatever the operation needs lives in its closures.
  std::function<Operation(const Point&)> prepare;
  // The starts that can be asked for; empty: all of them.
  std::vector<Start> starts = {};
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

}  // namespace leadline
