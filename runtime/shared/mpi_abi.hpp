// Whether what was built with a header of MPI may call the library that a process has loaded.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

namespace leadline::runtime {

// What MPI_Get_library_version says of the MPIs that have the ABI of the header, as far as they are
// known.
#if defined(MPICH_VERSION)
constexpr std::string_view kServed[] = {"MPICH Version:", "Intel(R) MPI Library", "MVAPICH",
                                        "MPICH"};
#elif defined(OPEN_MPI)
constexpr std::string_view kServed[] = {"Open MPI v"};
#else
constexpr std::string_view kServed[] = {""};
#endif

// From MPI 4 on there are functions that are called if the header has them.
constexpr int kNewFunctions = 4;

#if defined(MPI_ABI)
constexpr bool kStandardAbi = true;
#else
constexpr bool kStandardAbi = false;
#endif

// What the library says of itself; empty where it says nothing. The header need not be the
// library's: another one may have more to say than its own constant allows.
inline std::string said_by_library() {
  static std::array<char, std::size_t{1} << 16U> text;
  int length = 0;
  if (PMPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return {};
  return {text.data(), strnlen(text.data(), text.size())};
}

// MPICH and Intel MPI have a second library, of the same version, with the handles of MPI's
// standard ABI, in which numbers stand for other things than in the library's own header.
inline bool has_standard_abi() {
  Dl_info library;
  if (dladdr(reinterpret_cast<void*>(&PMPI_Allreduce), &library) == 0) return false;
  return std::strstr(library.dli_fname, "libmpi_abi") != nullptr;
}

// Whether handles of this header mean nothing to the library. Calls nothing of it: Open MPI's are
// addresses of objects in the library, without which nothing that names them can be loaded.
inline bool has_other_abi() {
  if (has_standard_abi() != kStandardAbi) return true;
#if defined(OPEN_MPI)
  return false;
#else
  return !kStandardAbi && dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != nullptr;
#endif
}

// Says why what was built with this header, such as "this engine", cannot serve the library; empty
// where it can. Calls nothing that takes a handle.
inline std::string misfit(const std::string& what) {
  const std::string library = said_by_library();
  int version = 0;
  int subversion = 0;
  const bool is_known = std::ranges::any_of(
      kServed, [&](auto words) { return library.find(words) != std::string_view::npos; });
  if (!is_known || PMPI_Get_version(&version, &subversion) != MPI_SUCCESS ||
      (version < kNewFunctions) != (MPI_VERSION < kNewFunctions)) {
    return what + " was built for MPIs such as \"" + std::string(kServed[0]) +
           "\" with an MPI standard " + (MPI_VERSION < kNewFunctions ? "before 4" : "from 4 on") +
           ", but the program runs on \"" + library.substr(0, 60) + "\"";
  }
  if (has_standard_abi() == kStandardAbi) return {};
  return "the program was built for " +
         (kStandardAbi ? "the library's own ABI, " + what + " for MPI's standard"
                       : "the standard ABI of MPI, " + what + " for the library's");
}

}  // namespace leadline::runtime
