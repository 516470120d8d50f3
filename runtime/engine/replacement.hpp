// A collective of MPI's with leadline's algorithms in the place of the library's own.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "runtime/engine/adopted.hpp"
#include "runtime/engine/interception.hpp"

namespace leadline {

// What a call moves, or why it is left to the library.
struct Weight {
  std::size_t bytes = 0;  // as the benchmark of the collective counts them
  const char* doubt = nullptr;
};

// The collective's arguments end with the communicator.
template <typename Collective>
class Replacement {
 public:
  using Function = typename Collective::Function;

  // `collective` as profiles call it; `function` stands in for the MPI function `name`.
  Replacement(std::string_view collective, std::string_view name, Function* function)
      : index_(KnownCollective::add(collective, find)), interception_(name, function, library_) {}

  // Calls the algorithm which the profile names for what `weigh(adopted)` returns, or the library's
  // function. `arguments` are all but the communicator.
  template <typename Weigh, typename... Arguments>
  int carry_out(MPI_Comm comm, const Weigh& weigh, Arguments... arguments) const {
    const Adopted* const adopted = Adopted::of(comm);
    if (adopted == nullptr) return library_(arguments..., comm);
    const Weight weight = weigh(*adopted);
    if (weight.doubt != nullptr) return library_(arguments..., comm);
    const Ranges::Range& choice = adopted->choice(index_, weight.bytes);
    if (choice.function == nullptr) return library_(arguments..., comm);
    auto* const algorithm = reinterpret_cast<Function*>(choice.function);
    const int code = algorithm(arguments..., adopted->comm());
    // The program's own error handler decides what becomes of it.
    if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, code);
    return code;
  }

 private:
  static Ranges::AnyFunction* find(std::string_view name) {
    const auto* const algorithm = Algorithm<Collective>::find(name);
    return algorithm == nullptr ? nullptr
                                : reinterpret_cast<Ranges::AnyFunction*>(algorithm->function);
  }

  Function* library_ = nullptr;
  std::size_t index_;
  Interception interception_;
};

}  // namespace leadline
