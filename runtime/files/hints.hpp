// Hints for MPI-IO from the environment, by patterns of file names.
//
// LEADLINE_MPIIO_HINTS is `pattern:key=value:key=value,pattern:...`, as `leadline hints` writes it
// and Cray's MPICH_MPIIO_HINTS has it. A pattern is as a shell has it, where * matches / too; every
// pattern that matches counts, a later one before an earlier one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace leadline::runtime {

struct HintRule {
  std::string pattern;
  std::map<std::string, std::string> hints;
};

// Throws std::runtime_error with one line that names what is wrong.
std::vector<HintRule> parse_hints(std::string_view text);

// The hints for a file of this name.
std::map<std::string, std::string> hints_for(const std::vector<HintRule>& rules,
                                             const std::string& file);

}  // namespace leadline::runtime
