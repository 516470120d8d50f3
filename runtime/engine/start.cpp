// What the preloaded library asks of this engine.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "algorithms/node/traffic.hpp"
#include "runtime/engine/interception.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/preload/engine.hpp"
#include "runtime/preload/noted.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/report/rows.hpp"
#include "runtime/shared/warn.hpp"

namespace leadline::runtime {
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
  leadline_warn((why + "; the program goes on without leadline").c_str());
  return Readiness::kNever;
}

// MPICH and Intel MPI have a second library, of the same version, with the handles of MPI's
// standard ABI, in which numbers stand for other things than in the header of this engine.
bool has_standard_abi() {
  Dl_info library;
  if (dladdr(reinterpret_cast<void*>(&PMPI_Allreduce), &library) == 0) return false;
  return std::strstr(library.dli_fname, "libmpi_abi") != nullptr;
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Collectives of a job of which some processes have leadline and others do not would never end. All
// launchers hand their environment to all processes, but for Open MPI's, on hosts other than its
// own, which must be told.
bool everybody_has_leadline() {
  if (variable("OMPI_COMM_WORLD_SIZE") == variable("OMPI_COMM_WORLD_LOCAL_SIZE")) return true;
  return variable("LEADLINE") == "on" ||
         variable("OMPI_MCA_mca_base_env_list").find("LD_PRELOAD") != std::string_view::npos;
}

// Programs that survive the death of a rank: a collective then returns an error, which nobody who
// waits in shared memory can.
bool ranks_may_die() {
  const std::string_view enabled = variable("OMPI_MCA_mpi_ft_enable");
  return !enabled.empty() && enabled != "0" && enabled != "false" && enabled != "no";
}

Readiness start() {
  const std::string library = library_version();
  if (library.find(kBuiltFor) == std::string::npos) {
    return refuse("this engine was built for \"" + std::string(kBuiltFor) +
                  "\", but the program runs on \"" + library.substr(0, 60) + "\"");
  }
  if (has_standard_abi()) {
    return refuse(
        "the program was built for the standard ABI of MPI, this engine for the library's");
  }
  if (ranks_may_die()) {
    return refuse("this job survives the death of a rank (Open MPI's --with-ft)");
  }
  if (!everybody_has_leadline()) {
    return refuse(
        "Open MPI hands no LD_PRELOAD to other hosts unless told: start with `mpirun -x LD_PRELOAD "
        "-x LEADLINE_PROFILE -x LEADLINE=on`, or by `leadline exec`");
  }
  node::Traffic::watch(leadline_traffic);
  report_at_exit();
  return Readiness::kReady;
}

}  // namespace
}  // namespace leadline::runtime

extern "C" __attribute__((visibility("default"))) leadline::runtime::Readiness
leadline_engine_ready() {
  using leadline::runtime::Readiness;
  static Readiness readiness = Readiness::kNotYet;
  if (readiness != Readiness::kNotYet) return readiness;
  int initialized = 0;
  int finalized = 0;
  if (PMPI_Initialized(&initialized) != MPI_SUCCESS || initialized == 0) return readiness;
  if (PMPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return readiness;
  return readiness = leadline::runtime::start();
}

extern "C" __attribute__((visibility("default"))) void* leadline_engine_entry(
    const char* name, void* library_function) {
  return leadline::runtime::Interception::stand_in(name, library_function);
}
