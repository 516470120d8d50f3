// Ranks try to change one word of rank 0's, if it still is what they last saw: the time of one
// try, alone and when all want the word at once.
#include <mpi.h>

#include <algorithm>
#include <memory>

#include "benchmarks/rma/shared_word.hpp"
#include "benchmarks/rma/synchronisation.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

class Swap : public SharedWord {
 public:
  using SharedWord::SharedWord;

 protected:
  // Right after a fill everyone expects what the word then holds.
  void refilled() override { expected_ = base(); }
  void issue() override {
    desired_ = expected_ + share();
    MPI_REQUIRE(
        MPI_Compare_and_swap(&desired_, &expected_, &seen_, MPI_UINT64_T, kHost, 0, window()));
  }
  bool changed() override {
    const bool swapped = seen_ == expected_;
    expected_ = swapped ? desired_ : seen_;
    return swapped;
  }
  // The first to come swaps; all others see its value.
  bool possible(std::span<Sight> sights, Value before, Value after) const override {
    const auto swapped = std::ranges::find(sights, before, &Sight::seen);
    if (swapped == sights.end() || before + swapped->share != after) return false;
    const auto as_before = std::ranges::count(sights, before, &Sight::seen);
    const auto as_after = std::ranges::count(sights, after, &Sight::seen);
    return as_before == 1 && as_before + as_after == std::ssize(sights);
  }

 private:
  Value expected_ = 0;
  Value desired_ = 0;
};

// Open MPI 4.1.4 ends there with a segmentation fault: its shared-memory transport has no atomic
// operation of its own, sends to a rank that it has no connection to, and as target uses an address
// in a window that the library allocated which is not mapped.
void refuse_what_crashes(const Point& point) {
  if (point.choice("origins") == "all") {
    require_real("swaps of several ranks mix: take origins=one");
  }
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
  if (point.choice("origins") == "all" && point.choice("window") != "shared") {
    throw Unavailable("Open MPI 4 crashes where a rank swaps in its own window: use window=shared");
  }
  if (point.choice("window") == "allocate") {
    throw Unavailable("Open MPI 4 crashes where a rank swaps in an allocated window: use create");
  }
#else
  static_cast<void>(point);
#endif
}

Operation prepare(const Point& point) {
  refuse_what_crashes(point);
  const auto swap = std::make_shared<Swap>(point);
  Operation operation = shared_word_operation(swap);
  operation.metrics = [swap] {
    return std::map<std::string, double>{{"swapped_fraction", swap->changed_fraction()}};
  };
  return operation;
}

const Registration compare_and_swap{{
    .name = "rma/compare_and_swap",
    .title = "MPI_Compare_and_swap",
    .summary = "time of an MPI_Compare_and_swap on 8 bytes of rank 0's, alone and contended",
    .axes = {origins_axis(), synchronisation_axis("MPI_Compare_and_swap", {"flush", "lock"}),
             window_axis()},
    .processes = {.minimum = 2},
    .series = {{"origin",
                "from before the first of these calls to after the last on each origin, the "
                "slowest of which counts, whether the word was swapped or not "
                "(swapped_fraction); by then its old value is here; lock is MPI_LOCK_SHARED"}},
    .start = Start::kBackToBack,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
