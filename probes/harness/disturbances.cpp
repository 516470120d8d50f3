#include "harness/disturbances.hpp"

namespace leadline::probe {
namespace {

// Only a sample that lasted so long is worth asking what the hypervisor took: the answer costs tens
// of microseconds, and no kernel accounts more finely than its timer ticks.
constexpr double kStealSeconds = 1e-3;

}  // namespace

void Disturbances::forget() {
  counters_ = world_.counters();
  waited_ = world_.waited();
  stolen_ = world_.stolen();
}

void Disturbances::note(Sample& sample) {
  const Counters now = world_.counters();
  if (now.involuntary_switches > counters_.involuntary_switches) {
    sample.flags |= kPreempted;
    const double waited = world_.waited();
    sample.waited = static_cast<float>(waited - waited_);
    waited_ = waited;
  }
  if (now.voluntary_switches > counters_.voluntary_switches) sample.flags |= kBlocked;
  if (now.cpu != counters_.cpu) sample.flags |= kMigrated;
  sample.page_faults = static_cast<std::uint32_t>(now.page_faults - counters_.page_faults);
  if (sample.page_faults > 0) sample.flags |= kPageFault;
  if (sample.seconds * sample.batch > kStealSeconds) {
    const double stolen = world_.stolen();
    if (stolen > stolen_) sample.flags |= kStolen;
    stolen_ = stolen;
  }
  counters_ = now;
}

}  // namespace leadline::probe
