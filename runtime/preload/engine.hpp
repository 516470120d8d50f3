// What an engine offers to the preloaded library, as C functions that it finds by name.
#pragma once

namespace leadline::runtime {

enum class Readiness : int {
  kNever,   // it cannot work here, and has said why if there is something to say
  kNotYet,  // the program has not initialised the library that the engine stands on
  kReady,
};

// In the list of mappings of a process in which leadline does nothing: ranks that wait for it see
// so.
inline constexpr char kUnusedMark[] = "leadline-unused";

}  // namespace leadline::runtime

extern "C" {

// May be called several times, by one thread at a time, as the other.
leadline::runtime::Readiness leadline_engine_ready();

// What is to be called instead of `library_function`, which is what the program calls by `name`;
// nullptr where it is left as it is.
void* leadline_engine_entry(const char* name, void* library_function);
}
