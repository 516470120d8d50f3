#include "runtime/engine/settings.hpp"

#include <cstdlib>
#include <cstring>

namespace leadline::runtime {
namespace {

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Of what makes no sense, the default.
int count_in(const char* name, int otherwise) {
  const int value = static_cast<int>(std::strtol(variable(name), nullptr, 10));
  return value > 0 ? value : otherwise;
}

}  // namespace

const RuntimeSettings& runtime_settings() {
  static const RuntimeSettings settings{
      .profile = variable("LEADLINE_PROFILE"),
      .learn = std::strcmp(variable("LEADLINE_LEARN"), "0") == 0 ? "" : variable("LEADLINE_LEARN"),
      .learnt = variable("LEADLINE_LEARNT"),
      .reproducible = std::strcmp(variable("LEADLINE_REPRODUCIBLE"), "1") == 0,
      .patience = count_in("LEADLINE_PATIENCE", RuntimeSettings{}.patience),
      .report =
          std::strcmp(variable("LEADLINE_REPORT"), "0") == 0 ? "" : variable("LEADLINE_REPORT"),
      .mpiio_hints = variable("LEADLINE_MPIIO_HINTS"),
  };
  return settings;
}

}  // namespace leadline::runtime
