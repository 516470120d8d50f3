// What the front end asks of one launch of a probe (docs/explanation/architecture.md, "Plan file").
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/sampler.hpp"

namespace leadline::probe {

struct PlannedPoint {
  std::uint32_t index;
  std::string benchmark;
  std::map<std::string, std::string> values;
  std::string library;  // path; empty: none

  // "mpi/pingpong bytes=8 ...", for messages.
  std::string text() const;
};

struct Plan {
  SamplerSettings settings;
  std::vector<std::string> controls;  // control variables of the library to report
  std::vector<PlannedPoint> points;   // in the order in which they are visited
};

// Throws std::invalid_argument that names the line which cannot be read, and the benchmark that
// this probe does not have.
Plan parse_plan(const std::string& text);

}  // namespace leadline::probe
