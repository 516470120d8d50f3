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
  const Adopted* adopted = nullptr;
  const char* doubt = nullptr;
  const Ranges::Range* range = nullptr;
};

// All that depends on the communicator and the choice.
Call describe_choice(const char* name, const Choice& choice, MPI_Comm comm, int count,
                     MPI_Datatype type);

// `count` is one rank's in collectives that take two, and is that of a block in those that reduce
// or move blocks.
template <typename... Arguments>
Call describe_call(const char* name, const Choice& choice, const std::tuple<Arguments...>& all) {
  constexpr std::size_t kSize = sizeof...(Arguments);
  const MPI_Comm comm = std::get<kSize - 1>(all);
  if constexpr (kSize == 1) {
    return describe_choice(name, choice, comm, 0, MPI_DATATYPE_NULL);
  } else {
    constexpr bool kReduces =
        std::is_same_v<std::tuple_element_t<1, std::tuple<Arguments...>>, void*>;
    constexpr std::size_t kCount = kReduces ? 2 : kSize == 5 ? 1 : 4;
    return describe_choice(name, choice, comm, std::get<kCount>(all), std::get<kCount + 1>(all));
  }
}

}  // namespace leadline::runtime
