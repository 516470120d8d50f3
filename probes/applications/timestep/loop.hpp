// The time-step loop as a benchmark, whatever its processes exchange numbers through.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "applications/timestep/exchange.hpp"
#include "applications/timestep/input.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe::timestep {

// What the transport has to give. Called on every process alike.
struct Means {
  std::function<std::unique_ptr<Exchange>(const Halo&)> exchange;
  ReadField read_field;
  bool one_sided = false;
};

// Collective. Reads the axes of `axes`.
Operation prepare(const Point& point, const Means& means);

// Those of the catchment and the network, and the transport's own.
std::vector<Axis> axes(const std::vector<Axis>& own);
// Initialisation and step.
std::vector<Series> series();
// One sentence.
std::string summary();

}  // namespace leadline::probe::timestep
