// A dot product as somebody wrote it, some compiler built it with some flags, or a library brings
// it: how fast it is at each length, and whether its answer can be trusted.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "benchmarks/node/dot_trials.hpp"
#include "benchmarks/node/kernel_library.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::int64_t kMostRepeats = 1'000'000'000;

// What was found of each library, which is the same at every length.
std::uint64_t failed_trials(const DotKernel& kernel, const std::string& library,
                            std::uint64_t seed) {
  static std::map<std::string, std::uint64_t> known;
  const auto [found, is_new] = known.try_emplace(library, 0);
  if (is_new) found->second = failed_dot_trials(kernel, seed);
  return found->second;
}

class DotProduct {
 public:
  DotProduct(const Point& point, const DotKernel& kernel)
      : kernel_(kernel),
        n_(point.integer("elements")),
        repeats_(static_cast<int>(
            std::clamp<std::int64_t>(point.integer("work") / n_, 1, kMostRepeats))),
        rank_(static_cast<std::uint64_t>(point.world().rank())),
        stride_((static_cast<std::size_t>(n_) * sizeof(double) + kLine - 1) / kLine * kLine),
        buffer_(point.buffer(2 * stride_)) {}

  // Repeated here and not by the harness, whose call takes nearly as long as the shortest product.
  void call() {
    for (int i = 0; i < repeats_; ++i) call_once();
  }
  void call_once() {
    result_ = kernel_.dot(n_, x(), y());
    buffer_.step();
  }
  int repeats() const { return repeats_; }
  void fill(std::uint64_t seed) {
    for (std::int64_t i = 0; i < n_; ++i) {
      x()[i] = static_cast<double>(factor(seed, 0, i));
      y()[i] = static_cast<double>(factor(seed, 1, i));
    }
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n_; ++i) sum += factor(seed, 0, i) * factor(seed, 1, i);
    const double right = static_cast<double>(sum);
    return result_ == right ? 0 : sizeof right;
  }

 private:
  double* x() { return reinterpret_cast<double*>(buffer_.data()); }
  double* y() { return reinterpret_cast<double*>(buffer_.data() + stride_); }
  std::int64_t factor(std::uint64_t seed, std::uint64_t array, std::int64_t index) const {
    return small_integer(seed + 2 * rank_ + array, static_cast<std::uint64_t>(index));
  }

  DotKernel kernel_;
  std::int64_t n_;
  int repeats_;
  std::uint64_t rank_;
  std::size_t stride_;
  Buffer buffer_;
  double result_ = 0.0;
};

Operation prepare(const Point& point) {
  const DotKernel kernel = dot_kernel(KernelLibrary::of(point));
  if (kernel.dot == nullptr) throw Unavailable("the library has no function leadline_dot");
  const auto product = std::make_shared<DotProduct>(point, kernel);
  const std::int64_t n = point.integer("elements");
  const auto all = static_cast<double>(n) * point.world().size();
  Operation operation = operation_of(product);
  operation.verified_call = [product] { product->call_once(); };
  operation.failed_trials = [kernel, library = point.library(), seed = point.seed()] {
    return failed_trials(kernel, library, seed);
  };
  operation.operations_per_call = product->repeats();
  operation.bytes = 2 * sizeof(double) * static_cast<std::size_t>(n);
  operation.moved_bytes = 2 * sizeof(double) * all;
  operation.flops = 2 * all;
  return operation;
}

Benchmark dot() {
  Benchmark benchmark{
      .name = "node/dot",
      .title = "Dot product",
      .summary =
          "time of a dot product of two arrays on every process at once, by how it is written, "
          "compiled and read; rates are those of all processes together",
      .axes = {{.name = "elements",
                .kind = AxisKind::kInteger,
                .summary = "length of each array",
                .default_values = "100,200,500,1000,2000,5000,10000,20000,50000,100000,200000,"
                                  "500000,1000000,2000000,5000000,10000000",
                .minimum = 1,
                .maximum = 1e9,
                .quick_values = "100,1000,10000,1000000"},
               {.name = "work",
                .kind = AxisKind::kInteger,
                .summary = "elements in one sample: so many that length times repetitions is the "
                           "same at every length, as far as it goes",
                .default_values = "10000000",
                .minimum = 1,
                .maximum = 4e9,
                .quick_values = "1000000"},
               {.name = "variant",
                .kind = AxisKind::kWord,
                .summary = "how it is written, or the library that brings it",
                .default_values = "all",
                .quick_values = "plain.c,best.c"},
               {.name = "compiler",
                .kind = AxisKind::kWord,
                .summary = "who built it",
                .default_values = "all"},
               {.name = "flags",
                .kind = AxisKind::kWord,
                .summary = "with which flags, joined by +",
                .default_values = "-O2,-O3+-march=native,-Ofast",
                .quick_values = "-O3+-march=native"}},
      .series = {{"product",
                  "from the common start to the end of the calls that sum up `work` elements, over "
                  "their number; each process stops its own clock, and the slowest one counts"}},
      .start = Start::kAgreed,
      .prepare = prepare,
      .roofs = {{.benchmark = "node/stream",
                 .values = {{"operation", "read"}},
                 .size_axis = "bytes",
                 .of_axis = "elements",
                 .times = 2 * sizeof(double)},
                {.benchmark = "node/flops"}},
      .kernels = "dot",
      .messages = false,
  };
  for (const DotTrial& each : dot_trials()) benchmark.trials.push_back(each.trial);
  return benchmark;
}

const Registration registration{dot};

}  // namespace
}  // namespace leadline::probe
