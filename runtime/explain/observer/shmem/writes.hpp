// What PEs of this node write into one another's memory, so that a wait knows whom it was for.
#pragma once

#include <atomic>

#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {

// The latest of one PE into another one's memory.
struct alignas(64) Writes {
  static constexpr u64 kLatest = 8;
  struct Write {
    std::atomic<u64> ticks;  // 0: it is being written
    std::atomic<u64> begin;
    std::atomic<u64> bytes;
  };
  std::atomic<u64> count;
  Write latest[kLatest];
};

// An object is where this PE has its own of it, as in the program.
void note_write(int pe, const void* object, u64 bytes, u64 ticks);

// The PE that was the last to write into the object during a call; kNoPeer where that is not known.
int writer_of(const void* object, u64 bytes, const Call& call);

}  // namespace leadline::explain
