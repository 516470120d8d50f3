// What the environment says about the runtime.
#pragma once

namespace leadline::runtime {

struct RuntimeSettings {
  // LEADLINE_PROFILE: the profile's file; empty: nothing is replaced.
  const char* profile = "";
  // LEADLINE_LEARN: "1" to choose algorithms while the program runs, or the folder where that is
  // also stored; empty: the profile alone.
  const char* learn = "";
  bool learns() const { return *learn != '\0'; }
  // LEADLINE_LEARNT: the file of what programs learnt before; empty: none.
  const char* learnt = "";
  // LEADLINE_REPRODUCIBLE=1: reductions whose result may depend on the order of operands are left
  // to the library.
  bool reproducible = false;
  // LEADLINE_PATIENCE: the collective of a communicator at which it is adopted, but for
  // MPI_COMM_WORLD, whose first one is. Adoption takes as long as a thousand small collectives:
  // programs that make communicators for a few calls each would lose by it.
  int patience = 100;
  // LEADLINE_REPORT: "1" for a report on standard error, or the JSON file to write it to; empty:
  // none.
  const char* report = "";
  // LEADLINE_MPIIO_HINTS: see runtime/files/open.cpp.
  const char* mpiio_hints = "";
};

// Read once.
const RuntimeSettings& runtime_settings();

}  // namespace leadline::runtime
