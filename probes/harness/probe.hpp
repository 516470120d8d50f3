// A probe from its arguments to its exit status, the same on every kind of world.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/neighbour.hpp"
#include "harness/world.hpp"

namespace leadline::probe {

struct Arguments {
  bool describe = false;
  std::string plan;
  std::string out;
  // Nodes that measure, and nodes beside them that disturb; 0: all measure.
  int victims = 0;
  int neighbours = 0;
  // A congestor to run instead of a plan, its message size (0: its usual one) and for how many
  // seconds (0: until it is ended from outside).
  std::string congest;
  std::size_t bytes = 0;
  double seconds = 0.0;
};

inline constexpr int kDone = 0;
inline constexpr int kBadInput = 2;
inline constexpr int kFailed = 3;

// Reads the arguments and answers `--describe`. Returns nothing when the probe is done already,
// with the exit status in `status`. To be called before the library is initialised.
std::optional<Arguments> begin_probe(int argc, char** argv, std::string_view transport,
                                     int& status);

// Collective: carries out the plan, with `neighbour` beside the points that ask for one. Returns
// the exit status; on a failure prints one line and ends all ranks.
int run_probe(World& world, const Arguments& arguments, std::string_view transport,
              Neighbour* neighbour = nullptr);

// Returns kDone when `body` has returned. What it throws is reported in one line, and `abort`,
// which ends all ranks, gets the exit status.
int guarded(int rank, const std::function<void()>& body, const std::function<void(int)>& abort);

// The point that this rank works at, for messages; empty between points.
std::string& current_point();

// "leadline-probe: what, on rank R at POINT" on standard error, in one piece, and where this rank
// writes the stream also as an event: launchers lose the last words of ranks that abort.
void report_failure(const std::string& what, int rank);

}  // namespace leadline::probe
