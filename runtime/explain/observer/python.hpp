// Where in a Python program a call was made: read from the interpreter's memory without its lock.
// The frames of a thread stay as they are while it is in a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/explain/observer/site.hpp"

namespace leadline::explain {

struct PythonFrame {
  const std::byte* frame = nullptr;  // null: none
  const std::byte* code = nullptr;
  std::uint64_t instruction = 0;
};

// Whether `site` is in an extension module of a Python whose memory is known: the calling thread's
// frames are there, and make sense.
bool leads_to_python(const void* site);

// Of this thread, where leads_to_python() was true once.
PythonFrame innermost_frame();
PythonFrame caller_of(const PythonFrame& frame);

// Whether it is mpi4py's own, where `site` is in mpi4py, or a part of Python's import.
bool is_passed_over(const PythonFrame& frame, const void* site);

// Its function and line, and its file as the object. Nothing where they cannot be read.
std::optional<SiteName> name_frame(const PythonFrame& frame);

}  // namespace leadline::explain
