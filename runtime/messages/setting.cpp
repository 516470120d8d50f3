#include "runtime/messages/setting.hpp"

#include <cstdlib>
#include <cstring>

#include "runtime/engine/settings.hpp"

namespace leadline::runtime {
namespace {

bool says(const char* value) {
  const char* const said = std::getenv("LEADLINE_PACK");
  return said != nullptr && std::strcmp(said, value) == 0;
}

}  // namespace

bool packing_is_forced() {
  static const bool forced = says("1");
  return forced;
}

bool packing_is_wanted() {
  static const bool wanted = packing_is_forced() || (runtime_settings().learns() && says("learn"));
  return wanted;
}

}  // namespace leadline::runtime
