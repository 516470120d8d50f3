// Ranks add to one word of rank 0's and learn what it was, or try to change it if it still is what
// they last saw: the time of one, alone and when all want the word at once.
#include <mpi.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "benchmarks/rma/shared_word.hpp"
#include "benchmarks/rma/synchronisation.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

class Addition : public SharedWord {
 public:
  using SharedWord::SharedWord;

 protected:
  void issue() override {
    own_ = share();
    MPI_REQUIRE(MPI_Fetch_and_op(&own_, &seen_, MPI_UINT64_T, kHost, 0, MPI_SUM, window()));
  }
  bool changed() override { return true; }
  // One after the other in some order: each saw what the one before it left.
  bool possible(std::span<Sight> sights, Value before, Value after) const override {
    Value word = before;
    for (std::size_t done = 0; done < sights.size(); ++done) {
      const auto next = std::ranges::find(sights, word, &Sight::seen);
      if (next == sights.end()) return false;
      word += next->share;
    }
    return word == after;
  }

 private:
  Value own_ = 0;
};

Operation prepare_addition(const Point& point) {
  return shared_word_operation(std::make_shared<Addition>(point));
}

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
  const auto open_mpi = library_release("Open MPI v");
  if (!open_mpi || open_mpi->first != 4) return;
  if (point.choice("origins") == "all" && point.choice("window") != "shared") {
    throw Unavailable("Open MPI 4 crashes where a rank swaps in its own window: use window=shared");
  }
  if (point.choice("window") == "allocate") {
    throw Unavailable("Open MPI 4 crashes where a rank swaps in an allocated window: use create");
  }
}

Operation prepare_swap(const Point& point) {
  refuse_what_crashes(point);
  const auto swap = std::make_shared<Swap>(point);
  Operation operation = shared_word_operation(swap);
  operation.metrics = [swap] {
    return std::map<std::string, double>{{"swapped_fraction", swap->changed_fraction()}};
  };
  return operation;
}

// Of the call of that name: what both have in common is added.
Benchmark on_a_word(const char* call, Benchmark own) {
  own.title = call;
  own.axes = {origins_axis(), synchronisation_axis(call, {"flush", "lock"}), window_axis()};
  own.processes = {.minimum = 2};
  return own;
}

const Registration fetch_and_op{on_a_word(
    "MPI_Fetch_and_op",
    {.name = "rma/fetch_and_op",
     .summary = "time of an MPI_Fetch_and_op, MPI_SUM on 8 bytes of rank 0's, alone and contended",
     .series = {{"origin",
                 "from before the first of these calls to after the last on each origin, the "
                 "slowest of which counts; by then the word is changed and its old value here; "
                 "lock is MPI_LOCK_SHARED"}},
     .prepare = prepare_addition})};
const Registration compare_and_swap{on_a_word(
    "MPI_Compare_and_swap",
    {.name = "rma/compare_and_swap",
     .summary = "time of an MPI_Compare_and_swap on 8 bytes of rank 0's, alone and contended",
     .series = {{"origin",
                 "from before the first of these calls to after the last on each origin, the "
                 "slowest of which counts, whether the word was swapped or not "
                 "(swapped_fraction); by then its old value is here; lock is MPI_LOCK_SHARED"}},
     .prepare = prepare_swap})};

}  // namespace
}  // namespace leadline::probe
