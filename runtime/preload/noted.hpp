// Entries that note that the library has something to do, which the engine's collectives then
// serve.
#pragma once

#include <atomic>

#include "runtime/shared/entry.hpp"

// Set by each call of such an entry. Lines that are only read stay in the caches of all threads.
extern "C" __attribute__((visibility("default"))) std::atomic<bool> leadline_traffic;

// As LEADLINE_ENTRY.
#define LEADLINE_NOTED_ENTRY(engine, name, count)                                            \
  extern "C" __attribute__((visibility("default"))) Word name(LEADLINE_PARAMETERS_##count) { \
    static Slot slot{engine, #name};                                                         \
    using Function = Word(LEADLINE_PARAMETERS_##count);                                      \
    if (!leadline_traffic.load(std::memory_order_relaxed)) {                                 \
      leadline_traffic.store(true, std::memory_order_relaxed);                               \
    }                                                                                        \
    return reinterpret_cast<Function*>(target(slot))(LEADLINE_ARGUMENTS_##count);            \
  }
