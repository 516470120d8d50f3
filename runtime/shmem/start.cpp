// The beginning: what the preloaded library asks for, and what happens once OpenSHMEM is there.
#include <shmem.h>

#include "runtime/engine/interception.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/preload/engine.hpp"
#include "runtime/shmem/at_exit.hpp"
#include "runtime/shmem/group.hpp"

namespace leadline {
namespace {

void start(bool several_threads) {
  // Without a profile nothing is replaced.
  if (*runtime_settings().profile != '\0') Group::start(several_threads);
  report_at_exit();
}

void (*library_init)() = nullptr;
void init() {
  library_init();
  start(false);
}

void (*library_start_pes)(int) = nullptr;
void start_some_pes(int pes) {
  library_start_pes(pes);
  start(false);
}

int (*library_init_thread)(int, int*) = nullptr;
int init_thread(int requested, int* provided) {
  const int code = library_init_thread(requested, provided);
  // PEs of which several threads call at once would need more than one order of calls.
  if (code == 0) start(*provided == SHMEM_THREAD_MULTIPLE);
  return code;
}

const Interception of_init{"shmem_init", init, library_init};
const Interception of_start_pes{"start_pes", start_some_pes, library_start_pes};
const Interception of_init_thread{"shmem_init_thread", init_thread, library_init_thread};

}  // namespace
}  // namespace leadline

extern "C" __attribute__((visibility("default"))) leadline::Readiness leadline_engine_ready() {
  const leadline::RuntimeSettings& settings = leadline::runtime_settings();
  return *settings.profile != '\0' || *settings.report != '\0' ? leadline::Readiness::kReady
                                                               : leadline::Readiness::kNever;
}

extern "C" __attribute__((visibility("default"))) void* leadline_engine_entry(
    const char* name, void* library_function) {
  return leadline::Interception::stand_in(name, library_function);
}
