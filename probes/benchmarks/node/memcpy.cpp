// Every process copies memory of its own: the C library's memcpy against other routines, by size,
// alignment and whether the data are in the caches.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/copy/copy.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kPage = 4096;
// A call copies so much, in as many copies as it takes.
constexpr std::size_t kCallBytes = std::size_t{256} << 10;

const CopyRoutine& routine_of(const Point& point) {
  const CopyRoutine& routine = *CopyRoutine::all().at(point.choice("routine"));
  if (!routine.runs_here()) {
    throw Unavailable("routine=" + std::string(routine.name) + " needs " +
                      std::string(routine.needs));
  }
  return routine;
}

// Without their offsets, source and target lie at the same place of a page, so that no load looks
// like one of what has just been stored.
class Copying {
 public:
  explicit Copying(const Point& point)
      : routine_(routine_of(point).function_for(point.bytes())),
        rank_(static_cast<std::uint64_t>(point.world().rank())),
        bytes_(point.bytes()),
        copies_(point.cold() ? 1 : std::clamp<std::size_t>(kCallBytes / bytes_, 1, 1024)),
        source_offset_(static_cast<std::size_t>(point.integer("source_offset"))),
        target_offset_(kPage + static_cast<std::size_t>(point.integer("target_offset"))),
        source_(point.buffer(source_offset_ + bytes_)),
        target_(point.buffer(target_offset_ + bytes_ + kLine)) {}

  void call() {
    copied_ = target_.data() + target_offset_;
    const std::byte* from = source_.data() + source_offset_;
    for (std::size_t i = 0; i < copies_; ++i) routine_(copied_, from, bytes_);
    source_.step();
    target_.step();
  }
  void fill(std::uint64_t seed) {
    fill_content(source_.data() + source_offset_, bytes_, stream(seed));
    // No byte is there before it is copied.
    std::byte* begin = target_.data();
    std::byte* copied = begin + target_offset_;
    std::fill(begin, copied, kGuard);
    for (std::size_t i = 0; i < bytes_; ++i) copied[i] = ~source_.data()[source_offset_ + i];
    std::fill_n(copied + bytes_, kLine, kGuard);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    const auto disturbed = [](const std::byte* begin, const std::byte* end) {
      return (end - begin) - std::count(begin, end, kGuard);
    };
    const std::byte* end = copied_ + bytes_;
    return wrong_content(copied_, bytes_, stream(seed)) +
           static_cast<std::size_t>(disturbed(copied_ - target_offset_, copied_) +
                                    disturbed(end, end + kLine));
  }
  int copies() const { return static_cast<int>(copies_); }

 private:
  static constexpr std::byte kGuard{0xa5};

  std::uint64_t stream(std::uint64_t seed) const { return content_word(seed, rank_); }

  CopyRoutine::Function* routine_;
  std::uint64_t rank_;
  std::size_t bytes_;
  std::size_t copies_;  // in one call
  std::size_t source_offset_;
  std::size_t target_offset_;
  Buffer source_;
  Buffer target_;
  std::byte* copied_ = nullptr;
};

Operation prepare(const Point& point) {
  const auto copying = std::make_shared<Copying>(point);
  Operation operation = operation_of(copying);
  operation.operations_per_call = copying->copies();
  operation.bytes = point.bytes();
  operation.moved_bytes = 2.0 * static_cast<double>(point.bytes()) * point.world().size();
  return operation;
}

Axis routine_axis() {
  std::vector<std::string> names{"library"};
  std::string summary = "how memory is copied";
  for (const auto& [name, routine] : CopyRoutine::all()) {
    if (name != names.front()) names.emplace_back(name);
    summary.append("; ").append(name).append(": ").append(routine->summary);
  }
  return choice_axis("routine", summary, names);
}

Axis offset_axis(std::string name, std::string summary) {
  return {.name = std::move(name),
          .kind = AxisKind::kInteger,
          .summary = std::move(summary),
          .default_values = "0",
          .maximum = kLine - 1};
}

Benchmark memcpy_benchmark() {
  return {
      .name = "node/memcpy",
      .title = "Memory copy",
      .summary =
          "time of a copy in memory, on every process at once; the bandwidth is that of all "
          "processes together and counts what is loaded and what is stored",
      .axes = {{.name = "bytes",
                .kind = AxisKind::kBytes,
                .summary = "what is copied",
                .default_values = "8:256M:x2",
                .minimum = 1,
                .quick_values = "64,4K,256K,16M"},
               routine_axis(),
               offset_axis("source_offset", "bytes of the source behind a line"),
               offset_axis("target_offset", "bytes of the target behind a line")},
      .series = {{"copy",
                  "of copies one after the other, from before the first to after the last over "
                  "their number: of the same memory where caches are warm, each of memory that has "
                  "left all of them where they are cold; each process stops its own clock, and the "
                  "slowest one counts"}},
      .prepare = prepare,
      .headlines = {{Headline::Of::kRate, "Memory copy"}},
      .messages = false,
  };
}

const Registration registration{memcpy_benchmark};

}  // namespace
}  // namespace leadline::probe
