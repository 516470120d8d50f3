// The axis on which a collective of the library is measured beside leadline's own algorithms.
#pragma once

#include <string>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"
#include "harness/benchmark.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {

// `library` first, then every algorithm of the collective.
template <typename Collective>
Axis algorithm_axis() {
  std::vector<std::string> names{"library"};
  std::string summary = "the library's own, or one that leadline brings";
  for (const auto& [name, algorithm] : coll::Algorithm<Collective>::all()) {
    names.emplace_back(name);
    summary.append("; ").append(name).append(": ").append(algorithm->summary);
  }
  return choice_axis("algorithm", summary, names);
}

// What the point asks for: `library`, or one of the algorithms.
template <typename Collective>
typename Collective::Function* chosen_algorithm(const Point& point,
                                                typename Collective::Function* library) {
  const std::string& name = point.choice("algorithm");
  if (name.starts_with("shared")) require_real("ranks share no memory: take another algorithm");
  const auto* algorithm = coll::Algorithm<Collective>::find(name);
  return algorithm == nullptr ? library : algorithm->function;
}

}  // namespace leadline::probe
