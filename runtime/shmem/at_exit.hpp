#pragma once

namespace leadline {

// Writes the report when this PE ends, if it was not written before: where there is to be one.
// OpenSHMEM is initialised.
void report_at_exit();

}  // namespace leadline
