// What the preloaded library asks of this engine.
#include <mpi.h>

#include <cstdio>
#include <string>

#include "runtime/engine/interception.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/preload/engine.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/report/rows.hpp"

namespace leadline {
namespace {

// What MPI_Get_library_version says of the MPI whose header this was built with.
#define LEADLINE_TEXT(value) #value
#define LEADLINE_TEXT_OF(macro) LEADLINE_TEXT(macro)
constexpr const char* kBuiltFor =
#if defined(I_MPI_VERSION)
    "Intel(R) MPI Library " I_MPI_VERSION;
#elif defined(MPICH_VERSION)
    "MPICH Version: " MPICH_VERSION " ";
#elif defined(OPEN_MPI)
    "Open MPI v" LEADLINE_TEXT_OF(OMPI_MAJOR_VERSION) "." LEADLINE_TEXT_OF(
        OMPI_MINOR_VERSION) "." LEADLINE_TEXT_OF(OMPI_RELEASE_VERSION);
#else
    "";
#endif

Readiness refuse(const std::string& why) {
  std::fprintf(stderr, "leadline: %s; the program goes on without leadline\n", why.c_str());
  return Readiness::kNever;
}

Readiness start() {
  const std::string library = library_version();
  if (library.find(kBuiltFor) == std::string::npos) {
    return refuse("this engine was built for \"" + std::string(kBuiltFor) +
                  "\", but the program runs on \"" + library.substr(0, 60) + "\"");
  }
  report_at_exit();
  return Readiness::kReady;
}

}  // namespace
}  // namespace leadline

extern "C" __attribute__((visibility("default"))) leadline::Readiness leadline_engine_ready() {
  using leadline::Readiness;
  static Readiness readiness = Readiness::kNotYet;
  if (readiness != Readiness::kNotYet) return readiness;
  int initialized = 0;
  int finalized = 0;
  if (PMPI_Initialized(&initialized) != MPI_SUCCESS || initialized == 0) return readiness;
  if (PMPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return readiness;
  return readiness = leadline::start();
}

extern "C" __attribute__((visibility("default"))) void* leadline_engine_entry(
    const char* name, void* library_function) {
  const auto& all = leadline::Interception::all();
  const auto found = all.find(name);
  if (found == all.end()) return nullptr;
  *found->second->library = library_function;
  return found->second->function;
}
