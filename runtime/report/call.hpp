// A call of a collective as the report describes it.
#pragma once

#include <mpi.h>

#include <string_view>
#include <tuple>
#include <type_traits>

#include "runtime/engine/adopted.hpp"
#include "runtime/report/expected.hpp"
#include "runtime/report/ledger.hpp"

namespace leadline::runtime {

// What the engine makes of a call: by which range of sizes, or why not.
struct Choice {
  Adopted* adopted = nullptr;
  const char* doubt = nullptr;
  Ranges::Range* range = nullptr;
  AnyFunction* function = nullptr;  // nullptr: the library's own
  bool trial = false;
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
