#include "runtime/explain/observer/cost.hpp"

#include <algorithm>
#include <atomic>

#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {
namespace {

constexpr u32 kWeighedOneIn = 64;
// Of those that were weighed, until it is seen whether they cost too much.
constexpr u32 kInWindow = 16;
constexpr u64 kMostOneIn = 64;

double granted = kGrantedToOne;
u32 until_weighed = kWeighedOneIn;
u32 in_window = 0;
u64 own_in_window = 0;
u64 window_began = 0;
u64 untimed_ticks = 0;
std::atomic<u64> one_in{1};

Word do_nothing(Word, Word, Word, Word, Word, Word) { return 0; }

// Ticks that a test takes which is only counted.
u64 measure_untimed() {
  constexpr u64 kTests = 1000;
  const Entry entry{.symbol = "",
                    .function = 0,
                    .language = Language::kC,
                    .words = 0,
                    .handler = nullptr,
                    .next = reinterpret_cast<AnyFunction*>(&do_nothing)};
  Row row{};
  Poll poll{.row = &row};
  const Word words[words_of(0)] = {};
  const u64 calls = observer.block->calls;
  const u64 begun = ticks();
  for (u64 i = 0; i < kTests; ++i) {
    pass_untimed(entry, words);
    count_untimed(poll);
  }
  const u64 ended = ticks();
  thread.untimed_left = 0;
  polls.untimed = 0;
  observer.block->calls = calls;
  return (ended - begun) / kTests;
}

}  // namespace

void begin_costs(double part) {
  granted = part;
  untimed_ticks = measure_untimed();
  observer.cost->one_in = 1;
  window_began = ticks();
}

bool is_to_be_weighed() {
  if (--until_weighed != 0) return false;
  until_weighed = kWeighedOneIn;
  return true;
}

void weigh(u64 own_ticks, u64 now) {
  // In a longer one something else had the core, or a place was named.
  constexpr u64 kGaps = 20;
  const u64 own = kWeighedOneIn * std::min(own_ticks, kGaps * observer.gap);
  observer.cost->own_ticks += own;
  own_in_window += own;
  if (++in_window < kInWindow) return;
  const double part = static_cast<double>(own_in_window) / static_cast<double>(now - window_began);
  u64 number = one_in.load(std::memory_order_relaxed);
  if (part > granted) {
    number = std::min(2 * number, kMostOneIn);
  } else if (part < granted / 4) {
    number = std::max(number / 2, u64{1});
  }
  one_in.store(number, std::memory_order_relaxed);
  observer.cost->one_in = std::max(observer.cost->one_in, static_cast<u32>(number));
  in_window = 0;
  own_in_window = 0;
  window_began = now;
}

void weigh_untimed(u64 tests) { observer.cost->own_ticks += tests * untimed_ticks; }

u64 stands_for(u64 number, u64 duration, u64 members) {
  // A look takes a tenth of a microsecond or two. The more it has to be saved, the longer calls may
  // be that others stand for.
  constexpr u64 kLongPerMember = 4000;  // ticks: more than a microsecond
  constexpr u64 kMostTimes = 16;
  constexpr u64 kLooks = 8;
  const u64 saved = one_in.load(std::memory_order_relaxed);
  if (duration >= kLongPerMember * std::min(saved, kMostTimes) * members) return 1;
  const u64 each = std::max((members + kLooks - 1) / kLooks, saved);
  return ((number * 0x9E3779B97F4A7C15U) >> 32U) % each == 0 ? each : 0;
}

void note_estimate(u32 row, u64 stands_for, u64 ticks) {
  // Horvitz and Thompson (1952): each is taken by itself, with a probability of 1/k.
  const auto k = static_cast<double>(stands_for);
  const auto one = static_cast<double>(ticks);
  observer.variances[row] += k * (k - 1) * one * one;
}

}  // namespace leadline::explain
