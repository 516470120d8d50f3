// What the kernel and the core say of the thread that began the observation.
#pragma once

#include <optional>

#include "runtime/explain/observer/format.hpp"

namespace leadline::explain {

// As a mark has them; 0 where the kernel does not say.
struct FromKernel {
  u64 queued_ns = 0;
  u64 throttled_us = 0;
  u64 probe_ticks = 0;
  u64 stolen_us = 0;
};

// From that thread: where the observation begins, and how much there has been since.
void begin_asking_kernel();
FromKernel ask_kernel();

// So long it was ready to run and had no processor, in ns; nothing where the kernel does not say.
std::optional<u64> read_queued();

// Of the other threads of the process, until now.
Threads ask_other_threads();

}  // namespace leadline::explain
