// The MPI library's tool interface, MPI_T (MPI 4.1, chapter 15): what can be set, and what is
// counted.
#pragma once

#include <optional>
#include <string>

namespace leadline::probe {

// `{"controls": [...], "counters": [...]}`: every control and performance variable that the
// library registers, with its value where it can be read without an MPI object. MPI need not be
// initialised.
std::string list_controls();

// The value of the control variable as text, by its name where it is one of an enumeration.
// Nothing where the library has no such variable or its value belongs to an MPI object.
std::optional<std::string> control_value(const std::string& name);

}  // namespace leadline::probe
