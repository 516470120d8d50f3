// The table of functions, and who handles their entries.
#include "runtime/explain/observer/life.hpp"
#include "runtime/explain/observer/mpi/function.hpp"
#include "runtime/explain/observer/mpi/languages.hpp"

namespace leadline::explain {

const Function functions[] = {
    {},
#define LEADLINE_OBSERVED(id, handler, own, lower, UPPER, count, in_fortran, ...) \
  {.name = "MPI_" #own, .arguments = count, __VA_ARGS__},
#define LEADLINE_OBSERVED_LARGE(id, name, count)
#include "observed.inc"
};
#undef LEADLINE_OBSERVED
const int function_count = sizeof functions / sizeof *functions;
Named named(int function) {
  return {.name = functions[function].name, .kind = functions[function].kind};
}

#define LEADLINE_OBSERVED(id, handler, own, lower, UPPER, count, in_fortran, ...) \
  template <typename Arguments>                                                   \
  Word handler(Entry& entry, Word* words, const void* site);
#include "observed.inc"
#undef LEADLINE_OBSERVED

namespace {

template <typename Arguments>
Handler* const handlers[] = {
    nullptr,
#define LEADLINE_OBSERVED(id, handler, own, lower, UPPER, count, in_fortran, ...) \
  &handler<Arguments>,
#include "observed.inc"
};

}  // namespace
}  // namespace leadline::explain

extern "C" __attribute__((visibility("default"))) leadline::explain::Handler*
leadline_observer_handler(const leadline::explain::Entry* entry) {
  using namespace leadline::explain;
  if (is_left_to_another()) return nullptr;
  switch (entry->language) {
    case Language::kC:
      return handlers<InC>[entry->function];
    case Language::kLarge:
      return handlers<InLarge>[entry->function];
    default:
      // Elsewhere Fortran's integers are not those that are read here.
      if (sizeof(MPI_Fint) != sizeof(int)) return nullptr;
      return handlers<InFortran>[entry->function];
  }
}
