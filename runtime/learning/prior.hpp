// What is known before a communicator learns: rules for it, or for others.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "runtime/engine/adopted.hpp"
#include "runtime/profile/profile.hpp"

namespace leadline::runtime {

struct Prior {
  const Rule* rule;
  bool trusted;  // measured for just this number of nodes and processes
};

// The rules for a communicator: of several for one size, the first is to be taken. What programs
// learnt here comes before the profile, and that before the table that ships. Where none fits and
// it `learns`, those for the nearest shape.
std::vector<Prior> fitting_rules(std::string_view collective, int nodes, int processes,
                                 bool learns);

// The last size of each class of sizes that is learnt by itself: those with as many bits.
std::set<std::size_t> ends_of_classes();

struct Shape {
  int nodes;
  int processes;
  bool one_clock;
};

// Has a range, which begins at `from` bytes and has its rule and function, learn if there is
// anything to try.
void start_learning(Ranges::Range& range, const KnownCollective& collective, std::size_t from,
                    bool trusted, const Shape& shape);

}  // namespace leadline::runtime
