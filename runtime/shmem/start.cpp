// The beginning: what the preloaded library asks for, and what happens once OpenSHMEM is there.
#include <shmem.h>

#include <string_view>

#include "runtime/engine/interception.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/preload/engine.hpp"
#include "runtime/shmem/at_exit.hpp"
#include "runtime/shmem/group.hpp"
#include "runtime/shmem/settings.hpp"

namespace leadline::runtime {
namespace {

void start(bool several_threads) {
  const Wanted wanted = agree_on_settings();
  if (wanted.profile) Group::start(several_threads);
  report_pes_at_exit(wanted.report);
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

constexpr std::string_view kInit = "shmem_init";
constexpr std::string_view kStartPes = "start_pes";
constexpr std::string_view kInitThread = "shmem_init_thread";

const Interception of_init{kInit, init, library_init};
const Interception of_start_pes{kStartPes, start_some_pes, library_start_pes};
const Interception of_init_thread{kInitThread, init_thread, library_init_thread};

bool begins(std::string_view name) {
  return name == kInit || name == kStartPes || name == kInitThread;
}

}  // namespace
}  // namespace leadline::runtime

extern "C" __attribute__((visibility("default"))) leadline::runtime::Readiness
leadline_engine_ready() {
  return leadline::runtime::Readiness::kReady;
}

extern "C" __attribute__((visibility("default"))) void* leadline_engine_entry(
    const char* name, void* library_function) {
  // A PE that wants nothing takes part in the beginning alone, when the others ask it.
  const leadline::runtime::RuntimeSettings& settings = leadline::runtime::runtime_settings();
  if (*settings.profile == '\0' && *settings.report == '\0' && !leadline::runtime::begins(name)) {
    return nullptr;
  }
  return leadline::runtime::Interception::stand_in(name, library_function);
}
