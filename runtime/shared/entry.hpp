// The functions which programs call, each of which goes on where its slot points.
//
// Arguments are handed on as they come, as machine words: on the processors that leadline knows
// (x86-64 and AArch64, System V conventions) integers, handles and pointers all travel as words. So
// one library stands before any MPI, whatever its handles are, and needs no header of it.
#pragma once

#include <atomic>
#include <cstdint>

namespace leadline::runtime {

using Word = std::intptr_t;
using AnyFunction = void();

// The library that says what is to be called instead of the program's own functions.
struct Engine;
extern Engine mpi_engine;
extern Engine shmem_engine;

struct Slot {
  Engine& engine;
  const char* name;
  std::atomic<AnyFunction*> function{nullptr};
  // The library's own, as long as it is not known what takes its place.
  std::atomic<void*> library{nullptr};
};

// What is to be called for this slot. Kept in the slot as soon as it is known for good.
AnyFunction* resolve(Slot& slot);

inline AnyFunction* target(Slot& slot) {
  AnyFunction* const function = slot.function.load(std::memory_order_acquire);
  return function != nullptr ? function : resolve(slot);
}

}  // namespace leadline::runtime

#define LEADLINE_PARAMETERS_0
#define LEADLINE_PARAMETERS_1 Word a
#define LEADLINE_PARAMETERS_2 LEADLINE_PARAMETERS_1, Word b
#define LEADLINE_PARAMETERS_3 LEADLINE_PARAMETERS_2, Word c
#define LEADLINE_PARAMETERS_4 LEADLINE_PARAMETERS_3, Word d
#define LEADLINE_PARAMETERS_5 LEADLINE_PARAMETERS_4, Word e
#define LEADLINE_PARAMETERS_6 LEADLINE_PARAMETERS_5, Word f
#define LEADLINE_PARAMETERS_7 LEADLINE_PARAMETERS_6, Word g
#define LEADLINE_PARAMETERS_8 LEADLINE_PARAMETERS_7, Word h
#define LEADLINE_PARAMETERS_9 LEADLINE_PARAMETERS_8, Word i
#define LEADLINE_PARAMETERS_10 LEADLINE_PARAMETERS_9, Word j
#define LEADLINE_PARAMETERS_11 LEADLINE_PARAMETERS_10, Word k
#define LEADLINE_PARAMETERS_12 LEADLINE_PARAMETERS_11, Word l
#define LEADLINE_PARAMETERS_13 LEADLINE_PARAMETERS_12, Word m
#define LEADLINE_PARAMETERS_14 LEADLINE_PARAMETERS_13, Word n
#define LEADLINE_ARGUMENTS_0
#define LEADLINE_ARGUMENTS_1 a
#define LEADLINE_ARGUMENTS_2 LEADLINE_ARGUMENTS_1, b
#define LEADLINE_ARGUMENTS_3 LEADLINE_ARGUMENTS_2, c
#define LEADLINE_ARGUMENTS_4 LEADLINE_ARGUMENTS_3, d
#define LEADLINE_ARGUMENTS_5 LEADLINE_ARGUMENTS_4, e
#define LEADLINE_ARGUMENTS_6 LEADLINE_ARGUMENTS_5, f
#define LEADLINE_ARGUMENTS_7 LEADLINE_ARGUMENTS_6, g
#define LEADLINE_ARGUMENTS_8 LEADLINE_ARGUMENTS_7, h
#define LEADLINE_ARGUMENTS_9 LEADLINE_ARGUMENTS_8, i
#define LEADLINE_ARGUMENTS_10 LEADLINE_ARGUMENTS_9, j
#define LEADLINE_ARGUMENTS_11 LEADLINE_ARGUMENTS_10, k
#define LEADLINE_ARGUMENTS_12 LEADLINE_ARGUMENTS_11, l
#define LEADLINE_ARGUMENTS_13 LEADLINE_ARGUMENTS_12, m
#define LEADLINE_ARGUMENTS_14 LEADLINE_ARGUMENTS_13, n

// A function of this name with so many arguments, which `engine` may replace.
#define LEADLINE_ENTRY(engine, name, count)                                                  \
  extern "C" __attribute__((visibility("default"))) Word name(LEADLINE_PARAMETERS_##count) { \
    static Slot slot{engine, #name};                                                         \
    using Function = Word(LEADLINE_PARAMETERS_##count);                                      \
    return reinterpret_cast<Function*>(target(slot))(LEADLINE_ARGUMENTS_##count);            \
  }

// The same as ENTRY makes, of a function of MPI 4. Programs ask by weak references which of them a
// library has, so nobody else may define one that it has not.
#ifdef LEADLINE_MPI_4
#define LEADLINE_MPI_4_ENTRY(ENTRY, name, count) ENTRY(mpi_engine, name, count)
#else
#define LEADLINE_MPI_4_ENTRY(ENTRY, name, count)
#endif
