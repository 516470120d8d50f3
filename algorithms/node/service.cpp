#include "algorithms/node/service.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "algorithms/node/pace.hpp"

namespace leadline::node {
namespace {

// Polls before a waiting rank gives its core to another one: hardly any when others need the core
// to get there; else some 50 us, and again as many, for whoever else may want it.
constexpr int kPatienceOfYielding = 20;
constexpr int kPatience = 2000;
// What the call takes where nobody else runs, several times over.
constexpr std::chrono::microseconds kGivenAway{10};
// Yields in vain, as the scheduler may come back to this rank first, before the core is its own.
constexpr int kYieldsWhileWanted = 16;

}  // namespace

Service::Service(std::unique_ptr<Progress> progress, bool yields_soon)
    : progress_(std::move(progress)), yields_soon_(yields_soon) {
  constexpr int kCallsToKnow = 16;
  for (int calls = 0; calls < kCallsToKnow; ++calls) time_progress();
}

void Service::serve_others(int polls) {
  make_progress();
  const bool soon = yields_soon_ || wanted_ > 0;
  if (soon ? polls >= kPatienceOfYielding : polls % kPatience == 0) give_core_away();
}

// A call that comes back at once has found nobody who wants the core. One that takes long says that
// somebody does, whom this rank may be waiting for: another program's load is no matter of ranks
// and cores, and it comes and goes.
void Service::give_core_away() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  sched_yield();
  if (Clock::now() - start > kGivenAway) {
    wanted_ = kYieldsWhileWanted;
  } else if (wanted_ > 0) {
    --wanted_;
  }
}

void Service::tell(Told& told, unsigned epoch) {
  told_ = epoch;
  told.epoch.fetch_add(1, std::memory_order_relaxed);
}

// A library may take in one message in a call, and does not say whether it did; but a call that
// finds nothing is faster than one that does.
void Service::hear(const Told& told) {
  constexpr int kMostCalls = 32;
  // Some 200 us: who has spent more has lost its core meanwhile, and others wait for it.
  const std::uint64_t most = std::max(idle_progress_, std::uint64_t{1}) * 10'000;
  heard_ = told.epoch.load(std::memory_order_relaxed);
  bool idle = false;
  std::uint64_t spent = 0;
  for (int calls = 0; !idle && calls < kMostCalls && spent < most; ++calls) {
    const std::uint64_t took = time_progress();
    idle = took <= idle_progress_ + idle_progress_ / 2;
    spent += took;
  }
}

std::uint64_t Service::time_progress() {
  const Pace::Ticks start = Pace::now();
  keep_first(progress_->make_at_once());
  const Pace::Ticks took = Pace::now() - start;
  idle_progress_ = std::min(idle_progress_, std::uint64_t{took});
  return took;
}

}  // namespace leadline::node
