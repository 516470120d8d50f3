// What the environment wants of the observer.
#pragma once

#include <stdlib.h>
#include <string.h>

namespace leadline::explain {

inline const char* folder_in(const char* variable) {
  const char* const value = getenv(variable);
  return value != nullptr && *value != '\0' && strcmp(value, "off") != 0 ? value : nullptr;
}

// Where a program is recorded in full, nullptr where it is not.
inline const char* recording_folder() { return folder_in("LEADLINE_EXPLAIN"); }

// Where a site keeps a small file of each job. What a user says of LEADLINE_EXPLAIN goes before it.
inline const char* jobs_folder() {
  return getenv("LEADLINE_EXPLAIN") == nullptr ? folder_in("LEADLINE_JOBS") : nullptr;
}

}  // namespace leadline::explain
