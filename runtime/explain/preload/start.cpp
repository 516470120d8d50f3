// Finds the next definitions of functions and the observer.
//
// Programs without the API call nothing of this; where nobody wants them observed, or something
// fails, they go on unobserved. Why, a file in the folder of LEADLINE_EXPLAIN says.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/explain/preload/entry.hpp"
#include "runtime/explain/preload/wanted.hpp"
#include "runtime/shared/inheritance.hpp"
#include "runtime/shared/last_words.hpp"
#include "runtime/shared/library.hpp"
#include "runtime/shared/ticks.hpp"
#include "runtime/shared/warn.hpp"

// When the program began, as far as this library has seen it.
extern "C" __attribute__((visibility("default"))) timespec leadline_explain_start;
timespec leadline_explain_start;
extern "C" __attribute__((visibility("default"))) unsigned long long leadline_explain_start_ticks;
unsigned long long leadline_explain_start_ticks;

// Whether it had a standard error then.
extern "C" __attribute__((visibility("default"))) bool leadline_explain_has_errors;
bool leadline_explain_has_errors;

// Of libraries like this one that are preloaded together, as for several MPIs, one observes: the
// API of it, nullptr as long as none does.
extern "C" __attribute__((visibility("default"))) const char* leadline_explain_observed;
const char* leadline_explain_observed;

// Where the recording names another API that the program calls; nullptr as long as there is none.
extern "C" __attribute__((visibility("default"))) char* leadline_explain_also;
char* leadline_explain_also;

// Whether it is known why this process is not observed, or that it is. The observer sets it when it
// begins: where it then fails, it says so itself.
extern "C" __attribute__((visibility("default"))) bool leadline_explain_told;
bool leadline_explain_told;

// The first process that is not observed says why: one word for it, and what it is about.
extern "C" __attribute__((visibility("default"))) void leadline_explain_note(const char* why,
                                                                             const char* of) {
  leadline_explain_told = true;
  const char* const folder = leadline::explain::recording_folder();
  char path[4096];
  if (folder == nullptr || folder[strlen(folder) - 1] == '/') return;
  if (snprintf(path, sizeof path, "%s/unobserved", folder) >= static_cast<int>(sizeof path)) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0) return;
  dprintf(file, "%s: %s\n", why, of);
  close(file);
}

namespace leadline::explain {
namespace {

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
bool tried = false;
decltype(&leadline_observer_handler) find_handler = nullptr;

__attribute__((constructor)) void note_start() {
  clock_gettime(CLOCK_MONOTONIC, &leadline_explain_start);
  leadline_explain_start_ticks = runtime::ticks();
  leadline_explain_has_errors = fcntl(STDERR_FILENO, F_GETFD) >= 0;
}

__attribute__((destructor)) void note_end() {
  if (leadline_explain_told) return;
  const char* const library = runtime::mpi_library();
  if (library != nullptr) leadline_explain_note(tried ? "not begun" : "not called", library);
}

void warn(const char* what, const char* why) {
  if (recording_folder() == nullptr) return;
  char line[8192];
  snprintf(line, sizeof line, "%s: %s; the program goes on unobserved", what, why);
  leadline_warn(line);
  if (const char* const library = runtime::mpi_library())
    leadline_explain_note("not loaded", library);
}

void load() {
  tried = true;
  if (recording_folder() == nullptr && jobs_folder() == nullptr) return;
  const char* why = nullptr;
  void* const loaded = runtime::load_beside(LEADLINE_OBSERVER, why);
  if (loaded == nullptr) return warn("cannot load the observer", why);
  find_handler =
      reinterpret_cast<decltype(find_handler)>(dlsym(loaded, "leadline_observer_handler"));
  if (find_handler == nullptr) warn(LEADLINE_OBSERVER, "this is no observer");
}

Word only_pass_on(Entry& entry, Word* words, const void*) { return pass_on(entry, words); }

}  // namespace

Word first_call(Entry& entry, Word* words, const void* site) {
  AnyFunction* next = entry.next.load(std::memory_order_acquire);
  if (next == nullptr) {
    next = reinterpret_cast<AnyFunction*>(runtime::find_in_library(entry.symbol));
    if (next == nullptr) {
      runtime::say_last_words("the program calls %s, which none of its libraries has",
                              entry.symbol);
      abort();
    }
    runtime::keep_from_children();
    entry.next.store(next, std::memory_order_release);
  }
  pthread_mutex_lock(&lock);
  if (!tried) load();
  Handler* const found = find_handler != nullptr ? find_handler(&entry) : nullptr;
  pthread_mutex_unlock(&lock);
  Handler* const handler = found != nullptr ? found : &only_pass_on;
  entry.handler.store(handler, std::memory_order_release);
  return handler(entry, words, site);
}

}  // namespace leadline::explain
