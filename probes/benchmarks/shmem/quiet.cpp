// What completing or ordering puts costs, by how many are under way and of which size.
#include <shmem.h>

#include <algorithm>
#include <memory>
#include <string>

#include "benchmarks/shmem/transfer.hpp"
#include "comm/shmem_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

constexpr double kMostPuts = 4096;
enum Series { kTogether = 0, kIssue = 1, kCompletion = 2 };

// Nonblocking puts of one PE into its partner's memory, each to a place of its own. The area has
// two halves: one for the puts that are timed with what completes them, one for those timed alone.
class Puts {
 public:
  explicit Puts(const Point& point)
      : bytes_(point.bytes()),
        count_(static_cast<std::size_t>(point.integer("puts"))),
        complete_(point.choice("call") == "quiet" ? shmem_quiet : shmem_fence),
        pair_(pair_of(point.world())),
        receiver_(pair_.first ? pair_.partner : point.world().rank()),
        source_(point.buffer(half())),
        target_(make_symmetric<std::byte>(std::max<std::size_t>(1, 2 * half()))),
        arrived_(make_symmetric<std::uint64_t>(1)) {}

  bool puts() const { return pair_.first; }
  int partner() const { return pair_.partner; }

  void together() {
    issue(target_.get());
    complete_();
  }
  void issue_alone() { issue(target_.get() + half()); }
  void complete() { complete_(); }

  // What either call promises: a flag that is put after it finds the data there.
  void verified_call() {
    if (pair_.first) {
      together();
      tell(1);
      issue_alone();
      complete();
      tell(2);
    } else {
      await(1);
      wrong_ = wrong_content(target_.get(), half(), seed_);
      await(2);
      wrong_ += wrong_content(target_.get() + half(), half(), seed_);
    }
  }
  void fill(std::uint64_t seed) {
    // Puts that a fence has only ordered must not come after the new content.
    shmem_barrier_all();
    seed_ = content_word(seed, static_cast<std::uint64_t>(receiver_));
    if (pair_.first) {
      fill_content(source_.data(), half(), seed_);
    } else {
      fill_content(target_.get(), 2 * half(), ~seed_);
      *arrived_ = 0;
    }
  }
  std::size_t wrong_bytes() const { return pair_.first ? 0 : wrong_; }

 private:
  std::size_t half() const { return bytes_ * count_; }
  void issue(std::byte* place) {
    const std::byte* from = source_.data();
    for (std::size_t i = 0; i < count_; ++i) {
      shmem_putmem_nbi(place + i * bytes_, from + i * bytes_, bytes_, pair_.partner);
    }
  }
  void tell(std::uint64_t number) { shmem_uint64_p(arrived_.get(), number, pair_.partner); }
  void await(std::uint64_t number) {
    shmem_uint64_wait_until(arrived_.get(), SHMEM_CMP_GE, number);
  }

  std::size_t bytes_;
  std::size_t count_;
  void (*complete_)();
  Pair pair_;
  int receiver_;
  Buffer source_;
  Symmetric<std::byte> target_;
  Symmetric<std::uint64_t> arrived_;
  std::uint64_t seed_ = 0;
  std::size_t wrong_ = 0;
};

Operation prepare(const Point& point) {
  const auto puts = std::make_shared<Puts>(point);
  Operation operation = operation_of(puts);
  const bool timed = puts->puts();
  const auto part = [&](void (Puts::*call)(), Series series) -> Part {
    if (!timed) return {[] {}, kNotTimed};
    return {[puts, call] { (puts.get()->*call)(); }, series};
  };
  const Part together = part(&Puts::together, kTogether);
  operation.call = together.call;
  operation.series = together.series;
  operation.then = {part(&Puts::issue_alone, kIssue), part(&Puts::complete, kCompletion)};
  // A batch would issue the puts of many repetitions before it completes any.
  operation.every_call = true;
  operation.verified_call = [puts] { puts->verified_call(); };
  operation.peer = puts->partner();
  operation.bytes = point.bytes();
  return operation;
}

Benchmark declare() {
  Axis puts{"puts", AxisKind::kInteger, "nonblocking puts under way", "0,1,8,64"};
  puts.maximum = kMostPuts;
  puts.quick_values = "1,64";
  return {
      .name = "shmem/quiet",
      .title = "SHMEM quiet",
      .summary =
          "cost of completing (shmem_quiet) or ordering (shmem_fence) the puts that are under way",
      .axes = {bytes_axis("8,4K,64K", "size of each put"), puts,
               task_axis("call", "what follows the puts", {"quiet", "fence"})},
      .sizes = {.join = true, .split = true},
      .processes = kPairs,
      .series = {{"together",
                  "on PE 0, from before the first put until the quiet or fence after them returns"},
                 {"issue", "on PE 0, the puts alone"},
                 {"completion",
                  "on PE 0, the quiet or fence alone; between the puts and it lie the harness's "
                  "notes on the sample, a microsecond or more in which puts may complete"}},
      .prepare = prepare,
      // Any other start would complete the puts before the call that is to be timed.
      .starts = {Start::kBackToBack},
  };
}

const Registration quiet{declare};

}  // namespace
}  // namespace leadline::probe
