// The text of a job's file, in lines as docs/reference/formats.md has them.
#pragma once

#include <string>
#include <vector>

#include "runtime/explain/observer/digest.hpp"

namespace leadline::explain {

// The whole text, after the lines of its head. `file` is that of one of the job's nodes. What is
// kept of rows and peers is what took longest, as far as it fits.
std::string job_text(const std::string& head, const NodeFile& file,
                     const std::vector<Digest>& digests);

}  // namespace leadline::explain
