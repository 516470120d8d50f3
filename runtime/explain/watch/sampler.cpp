#include "runtime/explain/watch/sampler.hpp"

#include <algorithm>

#include "runtime/explain/watch/ranks.hpp"
#include "runtime/shared/ticks.hpp"

namespace leadline::explain {
namespace {

constexpr double kLeastSeconds = 1.9;
constexpr double kMostSeconds = 10;
constexpr u64 kLeastCalls = 5;  // of each rank

template <typename Word>
Word read(Word& word) {
  return std::atomic_ref(word).load(std::memory_order_acquire);
}

// With the part of the call that it is in.
u64 mpi_ticks_of(Block& block, u64 now) {
  constexpr int kTries = 3;
  u64 mpi = 0;
  for (int tries = 0; tries < kTries; ++tries) {
    const u32 function = read(block.current.function);
    const u64 since = read(block.current.since_ticks);
    mpi = read(block.mpi_ticks);
    if (function != read(block.current.function) || since != read(block.current.since_ticks)) {
      continue;
    }
    return mpi + (function != 0 && now > since ? now - since : 0);
  }
  return mpi;
}

}  // namespace

std::optional<std::map<u32, Sampler::Done>> Sampler::look() const {
  std::map<u32, Done> found;
  for (u32 index = 0; index < file_.header().ranks_here; ++index) {
    Block& block = file_.block(static_cast<int>(index));
    const bool is_at_work = read(block.state) == static_cast<u32>(State::kRunning) &&
                            read(block.first_ticks) != 0 && read(block.last_ticks) == 0;
    if (!is_at_work) return {};
    const u64 now = runtime::ticks();
    found[index] = {.ticks = now,
                    .mpi_ticks = mpi_ticks_of(block, now),
                    .calls = calls_made(file_, block).others};
  }
  return found;
}

std::optional<Interval> Sampler::take(double now_s) {
  const double lasted_s = now_s - before_s_;
  if (lasted_s < kLeastSeconds) return {};
  auto now = look();
  if (!now || before_.empty()) {
    before_ = now.value_or(std::map<u32, Done>{});
    before_s_ = now_s;
    return {};
  }
  Interval found{.begun_s = before_s_, .lasted_s = 0, .computing_s = 0, .calls = 0};
  u64 fewest = ~u64{0};
  for (const auto& [index, done] : *now) {
    const Done& before = before_.at(index);
    const double tick = file_.block(static_cast<int>(index)).seconds_per_tick;
    const u64 lasted = done.ticks - before.ticks;
    const u64 in_mpi =
        std::min(done.mpi_ticks - std::min(before.mpi_ticks, done.mpi_ticks), lasted);
    found.lasted_s += static_cast<double>(lasted) * tick;
    found.computing_s += static_cast<double>(lasted - in_mpi) * tick;
    found.calls += static_cast<double>(done.calls - before.calls);
    fewest = std::min(fewest, done.calls - before.calls);
  }
  if (fewest < kLeastCalls && lasted_s < kMostSeconds) return {};
  before_ = std::move(*now);
  before_s_ = now_s;
  return fewest < kLeastCalls ? std::nullopt : std::optional(found);
}

}  // namespace leadline::explain
