// The ways in which MPI processes give their neighbours values in the time-step loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "applications/timestep/exchange.hpp"

namespace leadline::probe::timestep {

struct Pattern {
  std::string name;
  std::string summary;
  bool one_sided;
  // Collective.
  std::function<std::unique_ptr<Exchange>(const Halo&)> make;
};

const std::vector<Pattern>& patterns();
// Throws std::invalid_argument where there is none of that name.
const Pattern& pattern_named(const std::string& name);

}  // namespace leadline::probe::timestep
