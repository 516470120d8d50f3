// The table of functions, and who handles their entries.
#include "runtime/explain/observer/life.hpp"
#include "runtime/explain/observer/shmem/function.hpp"
#include "runtime/explain/preload/shmem/types.hpp"

namespace leadline::explain {

const char kApi[] = "OpenSHMEM";

const Function functions[] = {
    {},
#define LEADLINE_OBSERVED(id, handler, own, count, passing, type, context, ...) \
  {.name = #own, __VA_ARGS__},
#include "observed.inc"
};
#undef LEADLINE_OBSERVED
const int function_count = sizeof functions / sizeof *functions;
Named named(int function) {
  return {.name = functions[function].name, .kind = functions[function].kind};
}

namespace {

Handler* const handlers[] = {
    nullptr,
#define LEADLINE_OBSERVED(id, handler, own, count, passing, type, context, ...) &handler,
#include "observed.inc"
};

}  // namespace
}  // namespace leadline::explain

extern "C" __attribute__((visibility("default"))) leadline::explain::Handler*
leadline_observer_handler(const leadline::explain::Entry* entry) {
  using namespace leadline::explain;
  return is_left_to_another() ? nullptr : handlers[entry->function];
}
