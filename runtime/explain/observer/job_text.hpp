// The text of a job's file, in lines as docs/reference/formats.md has them.
#pragma once

#include <string>
#include <vector>

#include "runtime/explain/observer/digest.hpp"

namespace leadline::explain {

// The number that the scheduler has given to the job, and to this step of it; empty without one.
struct JobNumber {
  std::string job;
  std::string step;
};
JobNumber job_number();

// What is known of the job from its beginning. `began` is in seconds since 1970.
std::string job_head(double began, const std::string& library);

// The whole text. What is kept of rows and peers is what took longest, as far as it fits.
std::string job_text(const std::string& head, const std::vector<Digest>& digests);

}  // namespace leadline::explain
