// Two PEs wake each other up by a flag: from setting it until the one that waits for it has seen
// it.
#include <sched.h>
#include <shmem.h>

#include <atomic>
#include <memory>
#include <string>

#include "benchmarks/shmem/transfer.hpp"
#include "comm/shmem_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

// Not std::uint64_t: the type is one for which the library has waits and atomics too.
using Flag = unsigned long long;
// So many tests in vain, and the other PE may need this one's core.
constexpr int kPatience = 1000;

void set_by_put(Flag* flag, Flag value, int pe) { shmem_ulonglong_p(flag, value, pe); }
void set_by_atomic(Flag* flag, Flag value, int pe) { shmem_ulonglong_atomic_set(flag, value, pe); }

void await_change(Flag* flag, Flag old) { shmem_ulonglong_wait_until(flag, SHMEM_CMP_NE, old); }
void test_for_change(Flag* flag, Flag old) {
  int tests = 0;
  while (!shmem_ulonglong_test(flag, SHMEM_CMP_NE, old)) {
    if (++tests % kPatience == 0) sched_yield();
  }
}

// One PE's side. It waits for any change of its flag and then compares: a wait that returns too
// early, or a wrong value, is wrong data and not a run that hangs.
class Waker {
 public:
  explicit Waker(const Point& point)
      : set_(point.choice("set") == "put" ? set_by_put : set_by_atomic),
        await_(point.choice("wait") == "wait_until" ? await_change : test_for_change),
        pair_(pair_of(point.world())),
        flag_(make_symmetric<Flag>(1)) {}

  bool first() const { return pair_.first; }
  int partner() const { return pair_.partner; }

  void call() {
    ++turn_;
    if (pair_.first) wake();
    wait();
    if (!pair_.first) wake();
  }
  void fill(std::uint64_t seed) {
    base_ = seed;
    wrong_ = 0;
  }
  std::size_t wrong_bytes() const { return wrong_ * sizeof(Flag); }

 private:
  // What a PE sends in this turn; the two never send the same.
  Flag value(bool first) const { return content_word(base_, 2 * turn_ + (first ? 1 : 0)); }
  void wake() { set_(flag_.get(), value(pair_.first), pair_.partner); }
  void wait() {
    await_(flag_.get(), seen_);
    seen_ = std::atomic_ref(*flag_).load(std::memory_order_acquire);
    wrong_ += seen_ == value(!pair_.first) ? 0 : 1;
  }

  void (*set_)(Flag*, Flag, int);
  void (*await_)(Flag*, Flag);
  Pair pair_;
  Symmetric<Flag> flag_;
  Flag seen_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t turn_ = 0;
  std::size_t wrong_ = 0;
};

Operation prepare(const Point& point) {
  if (point.choice("wait") == "test" && point.world().nodes() > 1) {
    throw Unavailable(
        "shmem_test need not help the library along, so that a flag from another node may never "
        "be seen: take wait=wait_until, or PEs of one node");
  }
  const auto waker = std::make_shared<Waker>(point);
  Operation operation = operation_of(waker);
  operation.series = waker->first() ? 0 : kNotTimed;
  operation.peer = waker->partner();
  operation.neighbours = {waker->partner()};
  operation.operations_per_call = 2;
  return operation;
}

const Registration wait_until{{
    .name = "shmem/wait_until",
    .title = "SHMEM wait_until",
    .summary = "how soon a PE that waits for a flag sees it set by another PE",
    .axes = {choice_axis("wait",
                         "how a PE waits: in shmem_wait_until, or testing again and again with "
                         "shmem_test",
                         {"wait_until", "test"}),
             choice_axis("set", "how the flag is set: a put of one element, or an atomic",
                         {"put", "atomic_set"})},
    .processes = kPairs,
    .series = {{"wake-up",
                "half of a round trip: from setting the other PE's flag until it has seen it; PE "
                "0, which begins and waits for the answer, stops the clock"}},
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
