#include "runtime/explain/observer/marks.hpp"

#include <algorithm>

#include "runtime/explain/observer/kernel.hpp"
#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {
namespace {

// A short run has few slices; what is asked of the kernel takes 20 us.
constexpr double kFirstSeconds = 0.032;

// The sums before the last call, if it began later, or with the part of it that was over: it waits
// first.
Mark mark_at(u64 moment, const Counted& last, const FromKernel& now) {
  const Block& block = *observer.block;
  Mark mark{.mpi_ticks = block.mpi_ticks,
            .waiting_ticks = block.waiting_ticks,
            .queued_ns = now.queued_ns,
            .throttled_us = now.throttled_us,
            .probe_ticks = now.probe_ticks,
            .stolen_us = now.stolen_us};
  const u64 waiting = std::min(last.waiting, last.took);
  const u64 later = std::min(last.ended - moment, last.took);
  const u64 waited_later = later - std::min(later, last.took - waiting);
  mark.mpi_ticks -= later;
  mark.waiting_ticks -= waited_later;
  return mark;
}

// Each second one stays.
void halve() {
  Block& block = *observer.block;
  for (u32 i = 0; i < kMarks / 2; ++i) observer.marks[i] = observer.marks[2 * i + 1];
  block.slice_ticks *= 2;
  std::atomic_ref(block.marks_used).store(kMarks / 2, std::memory_order_release);
}

}  // namespace

void begin_marks() {
  Block& block = *observer.block;
  block.slice_ticks = static_cast<u64>(kFirstSeconds / block.seconds_per_tick);
  observer.mark_at = block.start_ticks + block.slice_ticks;
}

void note_marks(const Counted& last) {
  Block& block = *observer.block;
  const FromKernel now = ask_kernel();
  while (observer.mark_at <= last.ended) {
    if (block.marks_used == kMarks) halve();
    const u64 moment = block.start_ticks + (block.marks_used + 1) * block.slice_ticks;
    if (moment <= last.ended) {
      observer.marks[block.marks_used] = mark_at(moment, last, now);
      std::atomic_ref(block.marks_used).store(block.marks_used + 1, std::memory_order_release);
    }
    observer.mark_at = block.start_ticks + (block.marks_used + 1) * block.slice_ticks;
  }
}

}  // namespace leadline::explain
