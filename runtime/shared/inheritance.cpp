#include "runtime/shared/inheritance.hpp"

#include <stdlib.h>
#include <string.h>

namespace leadline::runtime {
namespace {

// One of kOfJob and kOfRank, and the names of the variables that leadline has added, with commas.
constexpr char kAdded[] = "LEADLINE_ADDED";
constexpr char kOfJob = '+';
constexpr char kOfRank = '-';
constexpr char kPreload[] = "LD_PRELOAD";
constexpr char kOwn[] = "libleadline";

bool is_own(const char* path) {
  const char* const slash = strrchr(path, '/');
  return strncmp(slash != nullptr ? slash + 1 : path, kOwn, sizeof kOwn - 1) == 0;
}

// Takes leadline's libraries out of the list, in place: it only grows shorter.
void leave_users_libraries(char* list) {
  char* end = list;
  char* rest = list;
  while (const char* const path = strsep(&rest, ": ")) {
    if (*path == '\0' || is_own(path)) continue;
    if (end != list) *end++ = ':';
    const size_t length = strlen(path);
    memmove(end, path, length);
    end += length;
  }
  *end = '\0';
}

__attribute__((constructor)) void give_back() {
  char* const added = getenv(kAdded);
  if (added == nullptr || *added != kOfRank) return;
  char* const preload = getenv(kPreload);
  if (preload != nullptr) leave_users_libraries(preload);
  // Names are taken out of the environment, whose strings stay.
  char* rest = added + 1;
  while (const char* const name = strsep(&rest, ",")) {
    const bool is_users = strcmp(name, kPreload) == 0 && preload != nullptr && *preload != '\0';
    if (!is_users) unsetenv(name);
  }
  unsetenv(kAdded);
}

}  // namespace

void keep_from_children() {
  char* const added = getenv(kAdded);
  if (added != nullptr && *added == kOfJob) __atomic_store_n(added, kOfRank, __ATOMIC_RELAXED);
}

}  // namespace leadline::runtime
