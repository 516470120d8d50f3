#include "harness/clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/coordinate.hpp"

namespace leadline::probe {
namespace {

constexpr int kExchanges = 32;
// Crystal oscillators stay within this of their nominal rate; the bound until it is measured.
constexpr double kWorstDrift = 1e-4;
// Two synchronisations closer than this say more about their own error than about drift.
constexpr double kShortestDriftInterval = 0.1;

struct Mapping {
  double offset;
  double drift;
  double reference;
  double error;
  double drift_error;
};

}  // namespace

ClockQuality measure_clock(const World& world) {
  // Events of a simulator that lie closer together are one.
  if (world.simulated()) return {1e-9, 0.0};
  constexpr int kReadings = 20000;
  double resolution = std::numeric_limits<double>::max();
  const double start = world.now();
  double previous = start;
  for (int i = 0; i < kReadings; ++i) {
    const double time = world.now();
    if (time > previous) resolution = std::min(resolution, time - previous);
    previous = time;
  }
  const double overhead = (previous - start) / kReadings;
  // Consecutive readings of a fine clock differ by the cost of reading it; its step is smaller and
  // shows in differences of differences, above what float64 can tell of a time since boot.
  const double digits = std::nextafter(previous, std::numeric_limits<double>::max()) - previous;
  for (int i = 0; i < kReadings; ++i) {
    const double first = world.now();
    const double second = world.now();
    const double third = world.now();
    const double change = std::abs((third - second) - (second - first));
    if (change > 16.0 * digits) resolution = std::min(resolution, change);
  }
  return {resolution, overhead};
}

double GlobalClock::error(double local) const {
  return error_ + drift_error_ * std::abs(local - reference_);
}

void GlobalClock::serve(World& world, int child) const {
  double unused = 0.0;
  for (int i = 0; i < kExchanges; ++i) {
    world.receive(&unused, sizeof unused, child);
    const double time = world.now();
    world.send(&time, sizeof time, child);
  }
  const Mapping mine{offset_, drift_, reference_, error_, drift_error_};
  world.send(&mine, sizeof mine, child);
}

void GlobalClock::follow(World& world, int parent) {
  double shortest = std::numeric_limits<double>::max();
  double parent_time = 0.0;
  double middle = 0.0;
  for (int i = 0; i < kExchanges; ++i) {
    const double sent = world.now();
    double answer = 0.0;
    world.send(&sent, sizeof sent, parent);
    world.receive(&answer, sizeof answer, parent);
    const double received = world.now();
    if (received - sent < shortest) {
      shortest = received - sent;
      parent_time = answer;
      middle = 0.5 * (sent + received);
    }
  }
  Mapping above{};
  world.receive(&above, sizeof above, parent);
  const double global = parent_time + above.offset + above.drift * (parent_time - above.reference);
  const double offset = global - middle;
  const double error =
      above.error + above.drift_error * std::abs(parent_time - above.reference) + 0.5 * shortest;
  const double interval = middle - reference_;
  if (synchronised_ && interval > kShortestDriftInterval) {
    drift_ = (offset - offset_) / interval;
    drift_error_ = std::min(kWorstDrift, (error + error_) / interval);
  } else {
    drift_error_ = kWorstDrift;
  }
  offset_ = offset;
  reference_ = middle;
  error_ = error;
  synchronised_ = true;
}

void GlobalClock::synchronise(World& world, bool recognise_shared) {
  if (world.simulated()) return;
  const bool grouped = recognise_shared && world.clock_shared();
  const int index = grouped ? world.node() : world.rank();
  const int count = grouped ? world.nodes() : world.size();
  const auto rank_of = [&](int i) { return grouped ? world.leader(i) : i; };
  if (!grouped || world.node_rank() == 0) {
    int bit = 1;
    while (bit < count && !(index & bit)) bit <<= 1;
    if (index != 0) follow(world, rank_of(index - bit));
    for (bit >>= 1; bit > 0; bit >>= 1) {
      if (index + bit < count) serve(world, rank_of(index + bit));
    }
  }
  if (!grouped) return;
  Mapping mine{offset_, drift_, reference_, error_, drift_error_};
  const int position = world.node_rank();
  int bit = 1;
  while (bit < world.node_size() && !(position & bit)) bit <<= 1;
  if (position != 0) world.receive(&mine, sizeof mine, world.member(position - bit));
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (position + bit < world.node_size()) {
      world.send(&mine, sizeof mine, world.member(position + bit));
    }
  }
  offset_ = mine.offset;
  drift_ = mine.drift;
  reference_ = mine.reference;
  error_ = mine.error;
  drift_error_ = mine.drift_error;
  synchronised_ = true;
}

double tested_error(World& world) {
  KernelClock first = world.kernel_clock();
  broadcast(world, first);
  const std::uint64_t kernel = world.kernel_clock().kernel;
  const int strangers = agree(world, kernel == 0 || kernel != first.kernel ? 1 : 0, take_sum<int>);
  if (strangers > 0 || world.size() == 1) return std::numeric_limits<double>::quiet_NaN();
  GlobalClock measured;
  measured.synchronise(world, world.nodes() > 1);
  const double local = world.now();
  const double truth = local - world.kernel_clock().ahead + first.ahead;
  return agree(world, std::abs(measured.to_global(local) - truth), take_maximum<double>);
}

}  // namespace leadline::probe
