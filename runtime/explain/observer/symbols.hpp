// Names of functions that only a file's table of symbols has: those of programs, as a rule.
#pragma once

#include <cstdint>
#include <string>

namespace leadline::explain {

// The function at `address`, as the file counts addresses; empty where the file is stripped, or
// cannot be read.
std::string function_in_file(const std::string& file, std::uintptr_t address);

}  // namespace leadline::explain
