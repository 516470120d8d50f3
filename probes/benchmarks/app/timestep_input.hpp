// MPI-IO for the input of the time-step loop.
#pragma once

#include <string>
#include <vector>

#include "applications/timestep/input.hpp"

namespace leadline::probe::timestep {

// A `ReadField`; collective over all processes.
void read_collectively(const std::string& path, const Catchment& catchment, const Area& area,
                       std::vector<double>& into);

}  // namespace leadline::probe::timestep
