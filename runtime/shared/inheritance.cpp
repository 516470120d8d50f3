#include "runtime/shared/inheritance.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace leadline::runtime {
namespace {

// One of kOfJob and kOfRank, and what leadline has added, with commas: paths in kPreload, and names
// of variables.
constexpr char kAdded[] = "LEADLINE_ADDED";
constexpr char kOfJob = '+';
constexpr char kOfRank = '-';
constexpr char kPreload[] = "LD_PRELOAD";

// Takes a library out of the list, in place and only once: the user may preload the same one.
void take_out(const char* path, char* list) {
  const size_t length = strlen(path);
  for (char* at = list; *at != '\0'; at += strspn(at, ": ")) {
    char* const end = at + strcspn(at, ": ");
    if (static_cast<size_t>(end - at) == length && strncmp(at, path, length) == 0) {
      const char* const rest = end + (*end != '\0' ? 1 : 0);
      memmove(at, rest, strlen(rest) + 1);
      return;
    }
    at = end;
  }
}

// Whether the process that started this one is a rank: it may have handed on an environment that it
// copied before, as Python does. The kernel shows the mark, since that changes in place.
bool is_started_by_rank() {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", getppid());
  FILE* const environment = fopen(path, "re");
  char* variable = nullptr;
  size_t room = 0;
  bool found = false;
  while (environment != nullptr && !found && getdelim(&variable, &room, '\0', environment) > 0) {
    const size_t length = sizeof kAdded - 1;
    found = strncmp(variable, kAdded, length) == 0 && variable[length] == '=' &&
            variable[length + 1] == kOfRank;
  }
  free(variable);
  if (environment != nullptr) fclose(environment);
  return found;
}

__attribute__((constructor)) void give_back() {
  char* const added = getenv(kAdded);
  if (added == nullptr || (*added != kOfRank && !is_started_by_rank())) return;
  char* const preload = getenv(kPreload);
  // Names are taken out of the environment, whose strings stay.
  char* rest = added + 1;
  while (const char* const name = strsep(&rest, ",")) {
    if (*name == '/' && preload != nullptr) take_out(name, preload);
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
