// Finds the library's functions and the engine that may replace them.
//
// Whatever fails, the program goes on with the library's own functions, after one line on standard
// error.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/preload/engine.hpp"
#include "runtime/shared/entry.hpp"
#include "runtime/shared/inheritance.hpp"
#include "runtime/shared/last_words.hpp"
#include "runtime/shared/library.hpp"
#include "runtime/shared/warn.hpp"

namespace leadline::runtime {

struct Engine {
  const char* file;
  pthread_mutex_t lock;
  bool tried;
  bool shown_unused;
  decltype(&leadline_engine_ready) ready;
  decltype(&leadline_engine_entry) entry;
};

Engine mpi_engine{
    "libleadline-engine.so", PTHREAD_MUTEX_INITIALIZER, false, false, nullptr, nullptr};
Engine shmem_engine{
    "libleadline-shmem.so", PTHREAD_MUTEX_INITIALIZER, false, false, nullptr, nullptr};

namespace {

bool is_off() {
  const char* const setting = getenv("LEADLINE");
  return setting != nullptr && strcmp(setting, "off") == 0;
}

void warn(const char* what, const char* why) {
  char line[8192];
  snprintf(line, sizeof line, "%s: %s; the program goes on without leadline", what, why);
  leadline_warn(line);
}

void load(Engine& engine) {
  engine.tried = true;
  if (is_off()) return;
  const char* why = nullptr;
  void* const loaded = load_beside(engine.file, why);
  if (loaded == nullptr) {
    const char* const library = mpi_library();
    const bool is_other = library != nullptr && strstr(why, "undefined symbol") != nullptr;
    return is_other ? warn("this runtime was built for another MPI than the program's", library)
                    : warn("cannot load the engine", why);
  }
  const auto ready =
      reinterpret_cast<decltype(engine.ready)>(dlsym(loaded, "leadline_engine_ready"));
  const auto entry =
      reinterpret_cast<decltype(engine.entry)>(dlsym(loaded, "leadline_engine_entry"));
  if (ready == nullptr || entry == nullptr) return warn(engine.file, "this is no engine");
  engine.ready = ready;
  engine.entry = entry;
}

// Makes an entry in the list of mappings, which takes no memory: others see it there.
void show_unused() {
  const int file = memfd_create(kUnusedMark, MFD_CLOEXEC);
  if (file < 0) return;
  // Never unmapped. Where it fails, they see none.
  [[maybe_unused]] const void* const mark = mmap(nullptr, 1, PROT_NONE, MAP_SHARED, file, 0);
  close(file);
}

// A program of MPI's sessions alone never initialises MPI, whose world all decisions stand on.
bool has_session = false;
bool was_ready = false;

// What the engine puts in the place of the library's function: nullptr for nothing.
Readiness ask(Engine& engine, const char* name, void* library_function, void*& own) {
  pthread_mutex_lock(&engine.lock);
  if (!engine.tried) load(engine);
  const Readiness readiness = engine.ready == nullptr ? Readiness::kNever : engine.ready();
  if (readiness == Readiness::kNever && !engine.shown_unused) {
    engine.shown_unused = true;
    show_unused();
  }
  has_session = has_session || strcmp(name, "MPI_Session_init") == 0;
  was_ready = was_ready || readiness == Readiness::kReady;
  if (readiness == Readiness::kReady) own = engine.entry(name, library_function);
  pthread_mutex_unlock(&engine.lock);
  return readiness;
}

__attribute__((destructor)) void tell_of_sessions() {
  const char* const report = getenv("LEADLINE_REPORT");
  const bool is_wanted = report != nullptr && *report != '\0' && strcmp(report, "0") != 0;
  if (!has_session || was_ready || !is_wanted || is_off()) return;
  leadline_warn(
      "nothing to report: the program uses MPI sessions without MPI_Init, which leadline leaves to "
      "the library");
}

// A program may ask by weak references which functions its library has, and find ours.
[[noreturn]] void end_without(const char* name) {
  say_last_words(
      "the program calls %s, which its MPI or SHMEM library does not have: this runtime was built "
      "for another one; start the program by `leadline exec`, or without LD_PRELOAD",
      name);
  abort();
}

}  // namespace

AnyFunction* resolve(Slot& slot) {
  void* library_function = slot.library.load(std::memory_order_acquire);
  if (library_function == nullptr) {
    library_function = find_in_library(slot.name);
    if (library_function == nullptr) end_without(slot.name);
    keep_from_children();
    slot.library.store(library_function, std::memory_order_release);
  }
  void* own = nullptr;
  const Readiness readiness = ask(slot.engine, slot.name, library_function, own);
  const auto function = reinterpret_cast<AnyFunction*>(own != nullptr ? own : library_function);
  if (readiness != Readiness::kNotYet) slot.function.store(function, std::memory_order_release);
  return function;
}

}  // namespace leadline::runtime
