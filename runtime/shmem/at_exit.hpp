#pragma once

namespace leadline::runtime {

// Writes the report when this PE ends, if it was not written before: where there is to be one. It
// is of all PEs where `of_all` says that all are to report. OpenSHMEM is initialised.
void report_pes_at_exit(bool of_all);

}  // namespace leadline::runtime
