// What lets ranks share cores with an MPI that never gives one away.
//
// MPICH over UCX waits by polling its sockets, and where ranks share a core each waits out the
// others' time slices: MPICH 4.0 never yields. An executable's own function of a name wins over the
// C library's, so this one polls for all libraries of the probe, and yields after an empty poll
// where the launcher says that ranks share cores. Waits with a timeout sleep by themselves.

#include <sched.h>
#include <sys/epoll.h>

#include <cstdlib>

extern "C" [[gnu::visibility("default")]] int epoll_wait(int set, epoll_event* events, int most,
                                                         int timeout) {
  static const bool yields = std::getenv("LEADLINE_YIELD") != nullptr;
  const int ready = epoll_pwait(set, events, most, timeout, nullptr);
  if (yields && ready == 0 && timeout == 0) sched_yield();
  return ready;
}
