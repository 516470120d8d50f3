// The functions by which Fortran programs call a collective.
//
// Fortran's integers have to be C's: where a library was built for integers of 8 bytes, mpi.h says
// so, and its Fortran is left alone. A program that was compiled for such integers with a library
// that was not passes addresses of integers whose first half is all that the library reads, on
// processors that put it first; what stands in for the library reads the same.
#pragma once

#include <mpi.h>

#include <list>
#include <string>
#include <string_view>

#include "runtime/engine/interception.hpp"
#include "runtime/fortran/arguments.hpp"

namespace leadline::runtime {

// Fortran's names of the MPI function `name` ("allreduce").
inline std::list<std::string> fortran_names(std::string_view name) {
  if (sizeof(MPI_Fint) != sizeof(int)) return {};
  const std::string own(name);
#if defined(OPEN_MPI)
  std::string capitals = own;
  for (char& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return {"mpi_" + own, "mpi_" + own + "_", "mpi_" + own + "__", "MPI_" + capitals,
          "ompi_" + own + "_f"};
#else
  return {"mpi_" + own + "_f08_"};
#endif
}

// Makes `function` stand in for all of Fortran's names of an MPI function; they are one function of
// the library's.
class FortranInterceptions {
 public:
  template <typename Function>
  FortranInterceptions(std::string_view name, Function* function, Function*& library)
      : names_(fortran_names(name)) {
    for (const std::string& own : names_) interceptions_.emplace_back(own, function, library);
  }

 private:
  const std::list<std::string> names_;
  std::list<Interception> interceptions_;
};

template <typename Collective, typename Function = typename Collective::Function>
class FortranCaller;

// `Collective::carry_out(pass_on, arguments...)` is the collective for callers of any
// language.
template <typename Collective, typename... Arguments>
class FortranCaller<Collective, int(Arguments...)> {
 public:
  explicit FortranCaller(std::string_view name) : interceptions_(name, call, library_) {}

 private:
  using Function = void(typename FromFortran<Arguments>::Type..., MPI_Fint* ierror);

  static void call(typename FromFortran<Arguments>::Type... arguments, MPI_Fint* ierror) {
    if (!fortran_constants_known()) return library_(arguments..., ierror);
    // May be absent in mpi_f08.
    MPI_Fint unwanted = MPI_SUCCESS;
    MPI_Fint& code = ierror != nullptr ? *ierror : unwanted;
    const auto pass_on = [&] {
      library_(arguments..., ierror);
      return static_cast<int>(code);
    };
    code = Collective::carry_out(pass_on, FromFortran<Arguments>::value(arguments)...);
  }

  inline static Function* library_ = nullptr;
  const FortranInterceptions interceptions_;
};

}  // namespace leadline::runtime
