// Every core sweeps over arrays of its own: the bandwidth of each level of caches and of memory,
// by what is done with the data (after McCalpin, "Memory bandwidth and machine balance in current
// high performance computers", IEEE TCCA newsletter, 1995).
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/node/sweeps.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

constexpr char kUsual[] = "usual";
// A call moves at least so much: many times what reading the clock takes, whatever the cache.
constexpr std::size_t kCallBytes = std::size_t{4} << 20;

// An integer of 20 bits: whatever the sweeps do with such numbers is exact.
double value(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(content_word(seed, index) >> 44U);
}

// The arrays of one process, one after the other in one buffer.
class Arrays {
 public:
  Arrays(const Point& point, int count)
      : sweeps(point.cold() ? 1 : std::max<std::size_t>(1, kCallBytes / point.bytes())),
        bytes(point.bytes() / static_cast<std::size_t>(count) / kLineBytes * kLineBytes),
        elements(bytes / sizeof(double)),
        rank_(static_cast<std::uint64_t>(point.world().rank())),
        buffer_(point.buffer(point.bytes())) {
    if (bytes == 0) {
      throw Unavailable("operation=" + point.choice("operation") + " takes bytes=" +
                        std::to_string(static_cast<std::size_t>(count) * kLineBytes) +
                        " or more, a line of the caches for each array");
    }
  }

  double* at(int array) {
    return reinterpret_cast<double*>(buffer_.data() + static_cast<std::size_t>(array) * bytes);
  }
  void step() { buffer_.step(); }
  std::uint64_t stream(std::uint64_t seed, int array) const {
    return content_word(content_word(seed, rank_), static_cast<std::uint64_t>(array));
  }

  const std::size_t sweeps;  // in one call
  const std::size_t bytes;   // of each array
  const std::size_t elements;

 private:
  std::uint64_t rank_;
  Buffer buffer_;
};

class Reading {
 public:
  explicit Reading(const Point& point) : arrays_(point, 1) {
    fill(0);
    sum_words_ = fastest_sum(words(), arrays_.bytes);
  }

  void call() {
    sum_ = sum_words_(words(), arrays_.bytes, arrays_.sweeps);
    arrays_.step();
  }
  void fill(std::uint64_t seed) {
    fill_content(arrays_.at(0), arrays_.bytes, arrays_.stream(seed, 0));
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < arrays_.elements; ++i) {
      sum += content_word(arrays_.stream(seed, 0), i);
    }
    return sum_ == sum * arrays_.sweeps ? 0 : sizeof sum;
  }
  const Arrays& arrays() const { return arrays_; }

 private:
  const std::uint64_t* words() { return reinterpret_cast<const std::uint64_t*>(arrays_.at(0)); }

  Arrays arrays_;
  Sum* sum_words_ = nullptr;
  std::uint64_t sum_ = 0;
};

class Storing {
 public:
  Storing(const Point& point, const StoringSweep& sweep)
      : sweep_(sweep),
        loop_(point.choice("stores") == kUsual ? sweep.usual : sweep.non_temporal),
        arrays_(point, sweep.arrays) {
    if (loop_ == nullptr) {
      throw Unavailable("leadline knows no " + point.choice("stores") +
                        " stores of this processor");
    }
  }

  void call() {
    stored_ = arrays_.at(0);
    loop_(stored_, arrays_.at(1), arrays_.at(2), factor_, arrays_.bytes, arrays_.sweeps);
    arrays_.step();
  }
  void fill(std::uint64_t seed) {
    factor_ = 1.0 + value(arrays_.stream(seed, sweep_.arrays), 0);
    for (int array = 0; array < sweep_.arrays; ++array) {
      const std::uint64_t stream = arrays_.stream(seed, array);
      double* elements = arrays_.at(array);
      for (std::size_t i = 0; i < arrays_.elements; ++i) elements[i] = value(stream, i);
    }
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    const std::uint64_t streams[] = {arrays_.stream(seed, 0), arrays_.stream(seed, 1),
                                     arrays_.stream(seed, 2)};
    const auto sweeps = static_cast<double>(arrays_.sweeps);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < arrays_.elements; ++i) {
      wrong += stored_[i] != sweep_.result(value(streams[0], i), value(streams[1], i),
                                           value(streams[2], i), factor_, sweeps);
    }
    return wrong * sizeof(double);
  }
  const Arrays& arrays() const { return arrays_; }

 private:
  const StoringSweep& sweep_;
  Sweep* loop_;
  Arrays arrays_;
  double factor_ = 1.0;
  double* stored_ = nullptr;
};

// `touched` is how often an element is loaded or stored, `allocated` how often a line is fetched
// only because it is stored.
template <typename Body>
Operation sweep_operation(const Point& point, const std::shared_ptr<Body>& body, int touched,
                          int allocated, int flops) {
  const Arrays& arrays = body->arrays();
  const double processes = point.world().size();
  const double array_bytes = processes * static_cast<double>(arrays.bytes);
  Operation operation = operation_of(body);
  operation.operations_per_call = static_cast<int>(arrays.sweeps);
  operation.bytes = point.bytes();
  operation.moved_bytes = touched * array_bytes;
  operation.flops = flops * processes * static_cast<double>(arrays.elements);
  operation.metrics = [allocated, array_bytes] {
    return std::map<std::string, double>{{"write_allocate_bytes", allocated * array_bytes}};
  };
  return operation;
}

Operation prepare(const Point& point) {
  const bool usual = point.choice("stores") == kUsual;
  for (const StoringSweep& sweep : storing_sweeps()) {
    if (point.choice("operation") == sweep.name) {
      return sweep_operation(point, std::make_shared<Storing>(point, sweep), sweep.loads + 1,
                             sweep.allocates && usual ? 1 : 0, sweep.flops);
    }
  }
  if (!usual) throw Unavailable("operation=read stores nothing: take stores=usual");
  return sweep_operation(point, std::make_shared<Reading>(point), 1, 0, 0);
}

Axis operation_axis() {
  std::vector<std::string> names{"read"};
  std::string summary = "what is done with each element; read: the sum of a";
  for (const StoringSweep& sweep : storing_sweeps()) {
    names.emplace_back(sweep.name);
    summary.append("; ").append(sweep.name).append(": ").append(sweep.formula);
  }
  return task_axis("operation", summary, names);
}

Benchmark stream() {
  return {
      .name = "node/stream",
      .title = "Memory stream",
      .summary =
          "time of a sweep over arrays on every process at once; the bandwidth is that of "
          "all processes together and counts what the program loads and stores",
      .axes = {operation_axis(),
               choice_axis("stores",
                           "usual: a cache fetches a line before it is stored, as metric "
                           "write_allocate_bytes counts; non_temporal: past the caches",
                           {kUsual, "non_temporal"}),
               {.name = "bytes",
                .kind = AxisKind::kBytes,
                .summary = "all arrays of one process together",
                .default_values = "4K:512M:x2",
                .minimum = kLineBytes,
                .quick_values = "16K,256K,8M,64M"}},
      .series = {{"sweep",
                  "from the common start to the end of several sweeps, over their number; each "
                  "process stops its own clock, and the slowest one counts"}},
      .start = Start::kAgreed,
      .prepare = prepare,
      .headlines = {{Headline::Of::kRate, "Memory bandwidth"}},
      .messages = false,
  };
}

const Registration registration{stream};

}  // namespace
}  // namespace leadline::probe
