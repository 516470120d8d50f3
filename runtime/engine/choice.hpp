// What the engine makes of a call of a collective, and how the report describes it.
#pragma once

#include <mpi.h>

#include <string_view>
#include <tuple>
#include <type_traits>

#include "runtime/engine/communicator_state.hpp"
#include "runtime/report/call_counts.hpp"

namespace leadline::runtime {

// By which range of sizes a call is carried out, or why not.
struct Choice {
  CommunicatorState* state = nullptr;
  const char* decline_reason = nullptr;
  SizeRange* range = nullptr;
  AnyFunction* function = nullptr;  // nullptr: the library's own
  bool is_trial = false;
};

// All that depends on the communicator and the choice.
Call describe_choice(const char* name, const Choice& choice, MPI_Comm comm, int count,
                     MPI_Datatype type);

// Elements that a call is said to move.
struct Moved {
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// Those of `Collective`, among its arguments: one rank's in collectives that take two counts, and
// those of a block in those that reduce or move blocks. A collective where they depend on the rank
// has one of its own.
template <typename Collective>
struct MovedBy {
  template <typename... Arguments>
  static Moved among(const std::tuple<Arguments...>& all) {
    constexpr std::size_t kSize = sizeof...(Arguments);
    if constexpr (kSize == 1) {
      return {};
    } else {
      constexpr bool kReduces =
          std::is_same_v<std::tuple_element_t<1, std::tuple<Arguments...>>, void*>;
      constexpr std::size_t kCount = kReduces ? 2 : kSize == 5 ? 1 : 4;
      return {.count = std::get<kCount>(all), .type = std::get<kCount + 1>(all)};
    }
  }
};

template <typename Collective, typename... Arguments>
Call describe_call(const char* name, const Choice& choice, const std::tuple<Arguments...>& all) {
  const Moved moved = MovedBy<Collective>::among(all);
  return describe_choice(name, choice, std::get<sizeof...(Arguments) - 1>(all), moved.count,
                         moved.type);
}

}  // namespace leadline::runtime
