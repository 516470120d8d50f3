// What the PEs of a job were told of leadline, compared before any of them waits for another.
#pragma once

namespace leadline::runtime {

struct Wanted {
  bool profile = false;  // all PEs have one
  bool report = false;   // all PEs are to report
};

// Collective over all PEs, once, after the library has been initialised. Where only some have a
// variable, a line on standard error says so.
Wanted agree_on_settings();

}  // namespace leadline::runtime
