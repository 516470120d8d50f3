// The beginning: what the preloaded library asks for, and what happens once OpenSHMEM is there.
#include <shmem.h>

#include "runtime/engine/settings.hpp"
#include "runtime/preload/engine.hpp"
#include "runtime/shmem/entries.hpp"

namespace leadline {
namespace {

struct Init {
  using Function = void();
  static void call() {
    library_function<Init>();
    Group::start(false);
  }
};

struct StartPes {
  using Function = void(int);
  static void call(int pes) {
    library_function<StartPes>(pes);
    Group::start(false);
  }
};

struct InitThread {
  using Function = int(int, int*);
  static int call(int requested, int* provided) {
    const int code = library_function<InitThread>(requested, provided);
    // PEs of which several threads call at once would need more than one order of calls.
    if (code == 0) Group::start(*provided == SHMEM_THREAD_MULTIPLE);
    return code;
  }
};

const Interception init = intercept<Init>("shmem_init");
const Interception start_pes = intercept<StartPes>("start_pes");
const Interception init_thread = intercept<InitThread>("shmem_init_thread");

}  // namespace
}  // namespace leadline

extern "C" __attribute__((visibility("default"))) leadline::Readiness leadline_engine_ready() {
  // Without a profile nothing is replaced.
  return *leadline::runtime_settings().profile != '\0' ? leadline::Readiness::kReady
                                                       : leadline::Readiness::kNever;
}

extern "C" __attribute__((visibility("default"))) void* leadline_engine_entry(
    const char* name, void* library_function) {
  return leadline::Interception::stand_in(name, library_function);
}
