// What Open MPI, and OpenSHMEM that comes with it, export beside their standards. Other libraries
// have none of it.
#pragma once

extern "C" {
__attribute__((weak)) void opal_progress();
__attribute__((weak)) bool opal_progress_set_yield_when_idle(bool yields);
}

namespace leadline::node {

inline bool is_open_mpi() { return opal_progress != nullptr; }

// Lets Open MPI go on with what is under way. Where ranks are to yield when idle, as Open MPI does
// by itself with more ranks than cores, a call that finds nothing gives the core away: on a busy
// machine for milliseconds.
inline void progress_by_open_mpi() { opal_progress(); }

// The same, but the rank keeps its core.
inline void progress_by_open_mpi_at_once() {
  if (opal_progress_set_yield_when_idle == nullptr) {
    opal_progress();
    return;
  }
  const bool yields = opal_progress_set_yield_when_idle(false);
  opal_progress();
  if (yields) opal_progress_set_yield_when_idle(true);
}

}  // namespace leadline::node
