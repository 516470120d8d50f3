// All PEs meet: time until the last of them may go on, by the call.
#include <sched.h>
#include <shmem.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/shmem/collective.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

constexpr double kDelaySeconds = 2e-3;
using Counter = unsigned long long;

// The arrays of barriers over an active set alternate: the barrier of a call tells that all PEs
// have left the one before, whose array the call after it uses.
struct Meeting {
  int size;
  long* sync;
};
struct Call {
  const char* name;
  bool completes_puts;
  void (*meet)(const Meeting&);
};

// The first is the default.
const std::vector<Call> kCalls{
    {"barrier_all", true, [](const Meeting&) { shmem_barrier_all(); }},
    {"sync_all", false, [](const Meeting&) { shmem_sync_all(); }},
    {"barrier", true,
     [](const Meeting& meeting) { shmem_barrier(0, 0, meeting.size, meeting.sync); }},
#ifdef LEADLINE_OPENSHMEM_1_5
    {"team_sync", false, [](const Meeting&) { shmem_team_sync(SHMEM_TEAM_WORLD); }},
#else
    // Its name is another call's from OpenSHMEM 1.5 on.
    {"sync", false, [](const Meeting& meeting) { shmem_sync(0, 0, meeting.size, meeting.sync); }},
#endif
};

const Call& chosen_call(const Point& point) {
  const auto found = std::ranges::find(kCalls, point.choice("call"), &Call::name);
  return *found;
}

// The call that is verified has one PE come late, another one for each verification: some time
// after all others. Every PE counts itself in before the call and reads the count after it: whoever
// leaves before the late one has come finds one missing. A barrier, which completes puts, must also
// have delivered the word that the PE on the left has put just before.
class Barrier {
 public:
  explicit Barrier(const Point& point)
      : world_(point.world()),
        call_(chosen_call(point)),
        sync_(make_sync_array(2 * SHMEM_BARRIER_SYNC_SIZE)),
        state_(make_symmetric<State>(1)) {}

  void call() {
    call_.meet({.size = world_.size(), .sync = sync_.get() + turn_ * SHMEM_BARRIER_SYNC_SIZE});
    turn_ = 1 - turn_;
  }
  void verified_call() {
    if (world_.rank() == late_pe_) {
      while (entered() < static_cast<Counter>(world_.size() - 1)) sched_yield();
      const double end = world_.now() + kDelaySeconds;
      while (world_.now() < end) sched_yield();
    }
    shmem_ulonglong_atomic_inc(&state_->entered, host_);
    shmem_quiet();
    shmem_uint64_p(&state_->word, put_word(world_.rank()), neighbour(1));
    call();
    delivered_ = state_->word == put_word(neighbour(-1));
    found_ = entered();
  }
  void fill(std::uint64_t seed) {
    // Nobody counts itself in before the count is zero: the harness's barrier is between.
    seed_ = seed;
    late_pe_ = static_cast<int>(seed % static_cast<std::uint64_t>(world_.size()));
    // The late PE does not hold the count: its library may answer nobody while it idles.
    host_ = neighbour_of(late_pe_, 1);
    shmem_ulonglong_atomic_set(&state_->entered, 0, world_.rank());
    shmem_quiet();
    state_->word = 0;
  }
  std::size_t wrong_bytes() const {
    const bool met = found_ == static_cast<Counter>(world_.size());
    return (met ? 0 : sizeof found_) +
           (delivered_ || !call_.completes_puts ? 0 : sizeof(std::uint64_t));
  }

 private:
  struct State {
    Counter entered;
    std::uint64_t word;
  };

  Counter entered() const { return shmem_ulonglong_atomic_fetch(&state_->entered, host_); }
  std::uint64_t put_word(int pe) const {
    return content_word(seed_, static_cast<std::uint64_t>(pe));
  }
  int neighbour_of(int pe, int distance) const {
    return (pe + distance + world_.size()) % world_.size();
  }
  int neighbour(int distance) const { return neighbour_of(world_.rank(), distance); }

  World& world_;
  const Call& call_;
  Symmetric<long> sync_;
  Symmetric<State> state_;
  std::size_t turn_ = 0;
  std::uint64_t seed_ = 0;
  int late_pe_ = 0;
  int host_ = 0;
  Counter found_ = 0;
  bool delivered_ = false;
};

Operation prepare(const Point& point) {
  const auto barrier = std::make_shared<Barrier>(point);
  Operation operation = operation_of(barrier);
  operation.verified_call = [barrier] { barrier->verified_call(); };
  return operation;
}

Benchmark declare() {
  std::vector<std::string> names;
  for (const Call& call : kCalls) names.emplace_back(call.name);
  return {
      .name = "shmem/barrier",
      .title = "SHMEM barrier",
      .summary = "time of a barrier, which completes puts too, or of a synchronisation alone",
      .axes = {task_axis("call",
                         "shmem_barrier_all and shmem_sync_all over all PEs; the others over an "
                         "active set or team of all PEs",
                         names)},
      .processes = {.minimum = 2},
      .series = completion_series(),
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration barrier{declare};

}  // namespace
}  // namespace leadline::probe
