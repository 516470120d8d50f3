// What is known of a job from its beginning.
#pragma once

#include <string>

namespace leadline::explain {

// The number that the scheduler has given to the job, and to this step of it; empty without one.
struct JobNumber {
  std::string job;
  std::string step;
};
JobNumber job_number();

// The first lines of the job's file. `began` is in seconds since 1970.
std::string job_head(double began, const std::string& library);

}  // namespace leadline::explain
