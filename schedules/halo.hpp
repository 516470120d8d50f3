// The messages of a halo exchange on a plane, from the benchmark's own exchange patterns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace leadline::replay {

// One exchange of `bytes` with each neighbour on a grid as square as possible. `node_of` is the
// node of each rank: pattern `bunched` gives each node a compact part of the grid. Throws Refused
// for patterns whose messages are the library's own affair, and std::invalid_argument for unknown
// ones.
struct HaloPlan {
  std::string pattern;
  std::size_t bytes;
  bool periodic;
  std::vector<std::int32_t> node_of;
};
Schedule halo_schedule(const HaloPlan& plan, std::size_t most_steps,
                       const std::function<void(int)>& done);

}  // namespace leadline::replay
