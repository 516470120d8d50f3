// What tuning says of the time of a call.
#pragma once

#include <cstddef>

#include "runtime/profile/profile.hpp"

namespace leadline::runtime {

// Times of one call in seconds, between those that tuning measured; 0 where it measured none.
struct ExpectedTimes {
  double library_s = 0;
  double algorithm_s = 0;
};
ExpectedTimes expected_times(const Rule& rule, std::size_t bytes);

}  // namespace leadline::runtime
